"""Which versions are wanted, and which are here; standard library only."""

import os
import platform
import re
import sys
from importlib import metadata


def marker_holds(marker: str) -> bool:
    """Whether a marker such as ``sys_platform != "darwin" or os_name == "nt"`` holds here."""
    known = {
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_system": platform.system(),
        "os_name": os.name,
    }

    def holds(comparison: str) -> bool:
        match = re.fullmatch(r"""\s*(\w+)\s*([<>=!]=?)\s*["']([^"']*)["']\s*""", comparison)
        if match and match[1] == "python_version":
            return in_range(platform.python_version(), _python_bound(match[2], match[3]))
        if not match or match[1] not in known or match[2] not in ("==", "!="):
            return True  # of another form: better one line too many
        return (known[match[1]] == match[3]) == (match[2] == "==")

    return any(
        all(holds(part) for part in re.split(r"\band\b", clause))
        for clause in re.split(r"\bor\b", marker)
    )


def _python_bound(operator: str, version: str) -> str:
    """``== "3.13"`` means every 3.13.x: write it as a range."""
    if operator != "==":
        return f"{operator}{version}"
    major, minor = version.split(".")
    return f">={version},<{major}.{int(minor) + 1}"


def pins(text: str) -> dict[str, str]:
    """Package -> exact version, of the lines of a requirements file that hold here."""
    found = {}
    for line in text.splitlines():
        requirement, _, marker = line.split(" #")[0].partition(";")
        match = re.fullmatch(r"\s*([\w.-]+)\s*==\s*([\w.+!-]+)\s*", requirement)
        if match and (not marker.strip() or marker_holds(marker)):
            found[match[1].lower()] = match[2]
    return found


def ranges() -> dict[str, str]:
    """Package -> the range in the package's own metadata, extras left out."""
    try:
        requires = metadata.requires("vsacourse") or []
    except metadata.PackageNotFoundError:
        return {}
    found = {}
    for line in requires:
        requirement, _, marker = line.partition(";")
        match = re.match(r"([\w.-]+)\s*(.*)", requirement.strip())
        if match and "extra" not in marker and (not marker.strip() or marker_holds(marker)):
            found[match[1].lower()] = match[2].strip("() ")
    return found


def _release(version: str) -> tuple[int, ...]:
    digits = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in digits[0].split(".")] if digits else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def in_range(version: str, bounds: str) -> bool:
    """Whether a version lies in ``>=2.0,<3``; bounds of other forms are not looked at."""
    mine = _release(version)
    for bound in bounds.split(","):
        match = re.fullmatch(r"\s*(>=|<=|<|>|==)\s*([\d.]+)\w*\s*", bound)
        if match:
            other = _release(match[2])
            holds = {
                ">=": mine >= other,
                "<=": mine <= other,
                "<": mine < other,
                ">": mine > other,
                "==": mine == other,
            }
            if not holds[match[1]]:
                return False
    return True


def installed(package: str) -> str:
    """The version that is installed; an empty string when the package is missing."""
    try:
        return metadata.version(package) or "unknown"
    except metadata.PackageNotFoundError:
        return ""
