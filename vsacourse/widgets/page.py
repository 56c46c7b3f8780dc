"""The static page of ``explore``: frames, plain range inputs and a script of their own."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from string import Template
from typing import Any

from vsacourse.widgets.choices import label
from vsacourse.widgets.frames import picture

_PAGE = Template("""\
<div class="vsa-explore" data-vsa-explore="$uid" role="group" aria-label="$group">
<style>
.vsa-explore{max-width:100%;color:inherit}
.vsa-explore .vsa-row{display:flex;flex-wrap:wrap;align-items:center;gap:.25em .75em;margin:.25em 0}
.vsa-explore label{font-weight:600;min-width:2em}
.vsa-explore input{flex:1 1 12em;max-width:24em;min-width:0;min-height:1.75em;
accent-color:#2a86c8}
.vsa-explore output{min-width:4em;font-variant-numeric:tabular-nums}
.vsa-explore .vsa-caption{margin:.25em 0;font-size:.9em}
@media print{.vsa-explore .vsa-row{display:none}}
</style>
$rows
$picture
<p class="vsa-caption" aria-live="polite">$caption</p>
<script type="application/json">$data</script>
<script>$script</script>
</div>
""")

# data-lm-suppress-shortcuts: otherwise JupyterLab keeps the arrow keys to itself.
_ROW = Template("""\
<div class="vsa-row"><label for="$id">$name</label>
<input type="range" id="$id" min="0" max="$last" step="1" value="$start" aria-valuetext="$text"
data-lm-suppress-shortcuts="true">
<output for="$id">$label</output></div>""")

# Every copy of an explore is found by its data attribute, so equal ones may stand on one page
# (their ids are made different); a script that runs twice leaves finished ones alone.
_SCRIPT = Template("""\
(function(){
document.querySelectorAll('[data-vsa-explore="$uid"]').forEach(function(root,copy){
if(root.vsaReady)return;root.vsaReady=true;
var f=JSON.parse(root.querySelector('script[type="application/json"]').textContent);
var inputs=Array.from(root.querySelectorAll('input')),outputs=root.querySelectorAll('output');
var labels=root.querySelectorAll('label');
var image=root.querySelector('img'),caption=root.querySelector('.vsa-caption');
function show(){
var frame=0;
inputs.forEach(function(input,k){
var label=f.labels[k][input.value];
frame=frame*f.labels[k].length+Number(input.value);
outputs[k].textContent=label;
input.setAttribute('aria-valuetext',f.names[k]+' = '+label);});
image.src='data:image/png;base64,'+f.png[frame];
image.alt=f.alt[frame];
if(caption.textContent!==f.caption[frame])caption.textContent=f.caption[frame];}
inputs.forEach(function(input,k){
if(copy){input.id+='-'+copy;labels[k].htmlFor=input.id;outputs[k].htmlFor=input.id;}
input.addEventListener('input',show);});
if(inputs.some(function(input){return input.value!==input.defaultValue;}))show();
});})();""")


def build_page(
    choices: Mapping[str, list[Any]],
    start: Mapping[str, Any],
    frames: list[bytes],
    texts: list[tuple[str, str]],
) -> str:
    """The page's share, from the frames and their (alt, caption), the last parameter fastest."""
    names = list(choices)
    at = [given.index(start[name]) for name, given in choices.items()]
    shown = at[0] if len(at) == 1 else at[0] * len(choices[names[1]]) + at[1]
    labels = [[label(value) for value in given] for given in choices.values()]
    pngs = [base64.b64encode(frame).decode() for frame in frames]
    data = {
        "names": names,
        "labels": labels,
        "png": pngs,
        "alt": [alt for alt, _ in texts],
        "caption": [caption for _, caption in texts],
    }
    # "<" never stands in the data, so that no text can end the script element.
    packed = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    uid = hashlib.sha256(f"{packed}{shown}".encode()).hexdigest()[:12]
    rows = [
        _ROW.substitute(
            id=f"vsa-{uid}-{k}",
            name=html.escape(name),
            last=len(labels[k]) - 1,
            start=at[k],
            text=html.escape(f"{name} = {labels[k][at[k]]}"),
            label=html.escape(labels[k][at[k]]),
        )
        for k, name in enumerate(names)
    ]
    return _PAGE.substitute(
        uid=uid,
        group=html.escape("Explore " + " and ".join(names)),
        rows="\n".join(rows),
        picture=picture(frames[shown], texts[shown][0]),
        caption=html.escape(texts[shown][1]),
        data=packed,
        script=_SCRIPT.substitute(uid=uid),
    )
