"""What is published, as linked data: every name is one that its vocabulary has."""

import hashlib
import json

import pandas as pd
import pytest

import verikit as vk

OFFICE = {
    "title": "People, 2026", "publisher": "An office", "contact": "privacy@office.example",
    "year": "2026", "people": "all who live in X", "licence": "CC0-1.0", "law": "GDPR, article 21",
}  # fmt: skip
# Read in the specifications: schema.org, Croissant 1.0, DCAT 3, Dublin Core, DPV 2, SPDX 2, vCard.
VOCABULARIES = {
    "https://schema.org/": "Dataset Organization name description creator temporalCoverage license "
    "distribution contentUrl contentSize encodingFormat sha256 Float Text",
    "http://mlcommons.org/croissant/": "FileObject RecordSet Field column dataType extract field "
    "fileObject recordSet source",
    "http://www.w3.org/ns/dcat#": "Dataset Distribution distribution contactPoint downloadURL "
    "byteSize mediaType",
    "http://purl.org/dc/terms/": "title publisher conformsTo",
    "https://w3id.org/dpv#": "Deidentification DataSubject Law hasDataSubject hasApplicableLaw "
    "hasTechnicalMeasure",
    "http://spdx.org/rdf/terms#": "Checksum checksum algorithm checksumValue "
    "checksumAlgorithm_sha256",
    "http://www.w3.org/2006/vcard/ns#": "Kind fn hasEmail",
}
KNOWN = {base + name for base, names in VOCABULARIES.items() for name in names.split()}


def full(name, context):
    """The address that a name stands for, as JSON-LD 1.1 expands it."""
    term = context.get(name)
    if term is not None:
        term = term["@id"] if isinstance(term, dict) else term
        return full(term, context) if term != name else term
    prefix, colon, rest = name.partition(":")
    if colon and prefix in context:
        return context[prefix] + rest
    return name if "://" in name else context["@vocab"] + name


def names_in(node, context):
    """Every address that a document uses for a property, a kind or a type of data."""
    if isinstance(node, list):
        for part in node:
            yield from names_in(part, context)
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "@type":
                kinds = value if isinstance(value, list) else [value]
                yield from (full(kind, context) for kind in kinds)
            elif not name.startswith("@"):
                yield full(name, context)
                yield from names_in(value, context)
                if name == "dataType":
                    yield full(value, context)


@pytest.fixture
def described(tmp_path):
    def describe(release):
        folder = release.describing(**OFFICE).save(tmp_path / "out")
        return folder, json.loads((folder / "metadata.jsonld").read_text(encoding="utf-8"))

    return describe


@pytest.mark.parametrize("name", ["people_masked", "lhcc_table3", "dm_table1_masked"])
def test_every_name_is_one_of_its_vocabulary(name, described):
    _, found = described(vk.published(name))
    used = {*names_in({k: v for k, v in found.items() if k != "@context"}, found["@context"])}
    assert used <= KNOWN, used - KNOWN
    bases = {base for base in VOCABULARIES if any(one.startswith(base) for one in used)}
    assert bases == set(VOCABULARIES)


def test_what_is_said_is_what_was_published(described):
    folder, found = described(vk.published("people_masked"))
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    (file,) = found["distribution"]
    content = (folder / file["contentUrl"]).read_bytes()
    assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert file["dcat:byteSize"] == len(content)
    assert file["encodingFormat"] == "text/csv"
    (records,) = found["recordSet"]
    columns = [field["source"]["extract"]["column"] for field in records["field"]]
    assert columns == list(pd.read_csv(folder / "table.csv"))
    kinds = {field["name"]: field["dataType"] for field in records["field"]}
    assert kinds == {"age": "sc:Text", "postcode": "sc:Text", "pay": "sc:Float"}
    said = json.dumps(found, ensure_ascii=False)
    assert all(text in said for text in OFFICE.values())
    assert found["dpv:hasTechnicalMeasure"]["name"] == "generalize"


def test_nothing_claims_that_nobody_can_be_found(described):
    _, found = described(vk.published("people_masked"))
    assert "nonym" not in json.dumps(found)


def test_a_release_of_which_its_publisher_says_nothing_has_no_such_file(tmp_path):
    folder = vk.published("people_masked").save(tmp_path / "out")
    assert not (folder / "metadata.jsonld").exists()
    assert vk.open_release(folder).method == "generalize"


def test_a_parquet_file_is_called_so(tmp_path):
    pytest.importorskip("pyarrow")
    release = vk.published("dm_table1_masked").describing(**OFFICE)
    folder = release.save(tmp_path / "out", parquet=True)
    found = json.loads((folder / "metadata.jsonld").read_text(encoding="utf-8"))
    assert found["distribution"][0]["encodingFormat"] == "application/vnd.apache.parquet"
