"""What is published, as linked data: DCAT, Croissant and the Data Privacy Vocabulary in one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LINKED = "metadata.jsonld"
CONTEXT = {
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "dpv": "https://w3id.org/dpv#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "recordSet": "cr:recordSet",
    "source": "cr:source",
}
CROISSANT = "http://mlcommons.org/croissant/1.0"
MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
IANA = "https://www.iana.org/assignments/media-types/"
TYPES = {"number": "sc:Float", "string": "sc:Text"}


def describe_linked(package: Mapping[str, Any]) -> dict[str, Any]:
    """Say in the terms of DCAT, Croissant and DPV what ``datapackage.json`` says of a release.

    That the method took identity out is said; that nobody can be found, or that the data are
    anonymous or personal, is not: no file proves it.

    Examples
    --------
    >>> package = {"name": "adults", "resources": [], "verikit": {"about": {"title": "Adults"}}}
    >>> describe_linked(package)["dct:title"]
    'Adults'
    """
    facts, resources = package["verikit"], package["resources"]
    about = facts.get("about", {})
    title, publisher = about.get("title", package["name"]), about.get("publisher")
    agent = {"@type": "Organization", "name": publisher}
    mail = {"@id": f"mailto:{about['contact']}"} if "@" in about.get("contact", "") else None
    contact = {"@type": "vcard:Kind", "vcard:fn": about.get("contact"), "vcard:hasEmail": mail}
    measure = {
        "@type": "dpv:Deidentification",
        "name": facts.get("method"),
        "description": json.dumps(facts.get("parameters", {}), ensure_ascii=False),
    }
    told: dict[str, Any] = {
        "name": title,
        "dct:title": title,
        "description": about.get("people"),
        "creator": publisher and agent,
        "dct:publisher": publisher and agent,
        "dcat:contactPoint": about.get("contact") and _without_gaps(contact),
        "temporalCoverage": about.get("year"),
        "license": about.get("licence"),
        "dpv:hasDataSubject": about.get("people")
        and {"@type": "dpv:DataSubject", "description": about["people"]},
        "dpv:hasApplicableLaw": about.get("law") and {"@type": "dpv:Law", "name": about["law"]},
        "dpv:hasTechnicalMeasure": facts.get("method") and measure,
        "distribution": [*map(_describe_file, resources)],
        "dcat:distribution": [{"@id": resource["path"]} for resource in resources],
        "recordSet": [*map(_describe_records, resources)],
    }
    kinds = {"@type": ["Dataset", "dcat:Dataset"], "conformsTo": CROISSANT}
    return {"@context": CONTEXT, **kinds, **_without_gaps(told)}


def _without_gaps(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value}


def _describe_file(resource: Mapping[str, Any]) -> dict[str, Any]:
    path, digest = resource["path"], resource["hash"].removeprefix("sha256:")
    media = MEDIA[path.rpartition(".")[2]]
    return {
        "@id": path,
        "@type": ["cr:FileObject", "dcat:Distribution"],
        "name": path,
        "contentUrl": path,
        "contentSize": f"{resource['bytes']} B",
        "encodingFormat": media,
        "sha256": digest,
        "dcat:downloadURL": {"@id": path},
        "dcat:byteSize": resource["bytes"],
        "dcat:mediaType": {"@id": IANA + media},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
            "spdx:checksumValue": digest,
        },
    }


def _describe_records(resource: Mapping[str, Any]) -> dict[str, Any]:
    table, file = resource["name"], {"@id": resource["path"]}
    fields = [
        {
            "@id": f"{table}/{field['name']}",
            "@type": "cr:Field",
            "name": field["name"],
            "description": field["title"] or field["name"],
            "dataType": TYPES[field["type"]],
            "source": {"fileObject": file, "extract": {"column": field["name"]}},
        }
        for field in resource["schema"]["fields"]
    ]
    return {"@id": table, "@type": "cr:RecordSet", "name": table, "field": fields}
