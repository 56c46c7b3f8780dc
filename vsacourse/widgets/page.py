"""The static page of ``explore``: frames, plain inputs and a script of their own."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from string import Template
from typing import Any

from vsacourse.widgets.choices import is_texts, label
from vsacourse.widgets.frames import picture

_PAGE = Template("""\
<div class="vsa-explore" data-vsa-explore="$uid" role="group" aria-label="$group">
<style>
.vsa-explore{max-width:100%;color:inherit}
.vsa-explore .vsa-row{display:flex;flex-wrap:wrap;align-items:center;gap:.25em .75em;margin:.25em 0}
.vsa-explore .vsa-name{font-weight:600;min-width:2em}
.vsa-explore .vsa-row label.vsa-button{display:inline-flex;align-items:center;gap:.3em;
min-height:1.75em;cursor:pointer}
.vsa-explore input[type=radio]{margin:0;accent-color:#2a86c8}
.vsa-explore input[type=range]{flex:1 1 12em;max-width:24em;min-width:0;min-height:1.75em;
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
_RANGE = Template("""\
<div class="vsa-row" data-vsa-range><label class="vsa-name" for="$id">$name</label>
<input type="range" id="$id" min="0" max="$last" step="1" value="$start" aria-valuetext="$text"
data-lm-suppress-shortcuts="true">
<output for="$id">$label</output></div>""")

_BUTTONS = Template("""\
<div class="vsa-row" role="radiogroup" aria-labelledby="$id">
<span class="vsa-name" id="$id">$name</span>
$buttons</div>""")

_BUTTON = Template("""\
<label class="vsa-button"><input type="radio" name="$id-choice" value="$value"$checked
data-lm-suppress-shortcuts="true">$label</label>
""")

# Every copy of an explore is found by its data attribute, so equal ones may stand on one page
# (their ids and the names that tie buttons together are made different); a script that runs twice
# leaves finished ones alone.
_SCRIPT = Template("""\
(function(){
document.querySelectorAll('[data-vsa-explore="$uid"]').forEach(function(root,copy){
if(root.vsaReady)return;root.vsaReady=true;
var f=JSON.parse(root.querySelector('script[type="application/json"]').textContent);
var image=root.querySelector('img'),caption=root.querySelector('.vsa-caption');
var controls=Array.from(root.querySelectorAll('.vsa-row')).map(function(row,k){
var inputs=Array.from(row.querySelectorAll('input')),output=row.querySelector('output');
var range=row.hasAttribute('data-vsa-range'),name=row.querySelector('.vsa-name');
if(range){
if(copy){inputs[0].id+='-'+copy;name.htmlFor=inputs[0].id;output.htmlFor=inputs[0].id;}
}else{
if(copy){name.id+='-'+copy;row.setAttribute('aria-labelledby',name.id);}
inputs.forEach(function(input){input.name+='-'+copy;input.checked=input.defaultChecked;});}
return{inputs:inputs,
value:function(){
return Number((range?inputs[0]:inputs.find(function(i){return i.checked;})).value);},
moved:function(){return inputs.some(function(i){
return range?i.value!==i.defaultValue:i.checked!==i.defaultChecked;});},
say:function(text){if(range){output.textContent=text;
inputs[0].setAttribute('aria-valuetext',f.names[k]+' = '+text);}}};});
function show(){
var frame=0;
controls.forEach(function(control,k){
var value=control.value();
frame=frame*f.labels[k].length+value;
control.say(f.labels[k][value]);});
image.src='data:image/png;base64,'+f.png[frame];
image.alt=f.alt[frame];
if(caption.textContent!==f.caption[frame])caption.textContent=f.caption[frame];}
controls.forEach(function(control){
control.inputs.forEach(function(input){input.addEventListener('input',show);});});
if(controls.some(function(control){return control.moved();}))show();
});})();""")


_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def bundle(box: Any, text: str, page: str) -> dict[str, Any]:
    """What a display shows: the live box where there is a kernel, else the page's share."""
    live = box._repr_mimebundle_()
    live = live[0] if isinstance(live, tuple) else live
    found = {"text/plain": text, "text/html": page}
    if _WIDGET_VIEW in live:
        found[_WIDGET_VIEW] = live[_WIDGET_VIEW]
    return found


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
        _row(f"vsa-{uid}-{k}", name, labels[k], at[k], is_texts(choices[name]))
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


def _row(id_: str, name: str, labels: list[str], at: int, buttons: bool) -> str:
    """One parameter's input: a slider, or a button for each choice."""
    if not buttons:
        return _RANGE.substitute(
            id=id_,
            name=html.escape(name),
            last=len(labels) - 1,
            start=at,
            text=html.escape(f"{name} = {labels[at]}"),
            label=html.escape(labels[at]),
        )
    pressed = [
        _BUTTON.substitute(
            id=id_, value=j, checked=" checked" if j == at else "", label=html.escape(text)
        )
        for j, text in enumerate(labels)
    ]
    return _BUTTONS.substitute(id=id_, name=html.escape(name), buttons="".join(pressed))
