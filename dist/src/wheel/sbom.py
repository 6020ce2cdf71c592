"""The SBOM of the wheel: that of the distribution, without the jars that the wheel lacks, with what it has besides jars."""

import hashlib
import json
import os
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

LICENSES = {"libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib", "libdeflate": "MIT"}
"""The licences of the libraries that are linked into the native kernels."""

Component = Dict[str, Any]


def _jar(component: Component) -> str:
    """Returns the name of a component's jar, which Maven makes of its coordinates."""
    classifier = re.search(r"[?&]classifier=([^&]+)", component.get("purl", ""))
    end = f"-{classifier.group(1)}" if classifier else ""
    return f"{component['name']}-{component['version']}{end}.jar"


def _linked(jars: Dict[str, bytes]) -> Iterator[Component]:
    """Returns the libraries that the native kernels contain. Their build has written the versions into them."""
    for name, data in jars.items():
        if not name.startswith("millrace-operators-"):
            continue
        with zipfile.ZipFile(BytesIO(data)) as jar:
            for one in jar.namelist():
                if one.endswith("/libmillrace.so"):
                    for library, version in re.findall(rb"millrace links (\S+) (\S+?)\0", jar.read(one)):
                        yield _component(library.decode(), version.decode(), LICENSES[library.decode()])


def _component(name: str, version: str, license_expression: str, **more: str) -> Component:
    reference = f"pkg:generic/{name}@{version}"
    licenses = [{"expression": license_expression}]
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, "licenses": licenses, "purl": reference, **more}


def _runtime(java_home: Path) -> Component:
    release = dict(re.findall(r'^(\w+)="([^"]*)"$', (java_home / "release").read_text("utf-8"), re.M))
    version = release.get("JAVA_RUNTIME_VERSION", release["JAVA_VERSION"])
    vendor = release.get("IMPLEMENTOR", "")
    return _component("openjdk", version, "GPL-2.0-only WITH Classpath-exception-2.0", publisher=vendor)


def of_wheel(distribution: bytes, entries: List[Tuple[str, bytes, bool]], java_home: Path, version: str) -> bytes:
    """Returns the SBOM of the wheel as CycloneDX JSON.

    Args:
        distribution: the SBOM of the distribution, by CycloneDX's plugin for Maven.
        entries: the files of the server with their paths and contents. Hashes are those of these jars, which are slimmer.
        java_home: the JDK whose runtime the wheel has.
        version: the version of the wheel.

    Raises ValueError when a jar of the wheel has no component.
    """
    bom = json.loads(distribution)
    jars = {os.path.basename(path): data for path, data, _ in entries if path.startswith(("job/", "lib/", "flink/"))}
    others = [_runtime(java_home), *_linked(jars)]
    kept = []
    for component in bom["components"]:
        data = jars.pop(_jar(component), None)
        if data is not None:
            component["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]
            kept.append(component)
    if jars:
        raise ValueError(f"the SBOM of the distribution lacks {', '.join(sorted(jars))}")
    main = bom["metadata"]["component"]
    old, main["bom-ref"] = main["bom-ref"], f"pkg:pypi/millrace@{version}"
    main.update(name="millrace", version=version, purl=main["bom-ref"], description="A data server for training loops, and its client")
    main.pop("group", None)
    bom["components"] = kept + others
    present = {component["bom-ref"] for component in bom["components"]}
    edges = []
    for edge in bom["dependencies"]:
        if edge["ref"] == old:
            edge = {"ref": main["bom-ref"], "dependsOn": edge["dependsOn"] + [one["bom-ref"] for one in others]}
        elif edge["ref"] not in present:
            continue
        edges.append({**edge, "dependsOn": [one for one in edge.get("dependsOn", []) if one in present]})
    bom["dependencies"] = edges
    # It would be that of the distribution. A document without one is valid.
    bom.pop("serialNumber", None)
    return json.dumps(bom, indent=1, sort_keys=True).encode() + b"\n"
