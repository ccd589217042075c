"""What is built is what is here: all of verikit in the wheel, and nothing else."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from sources import FOLDERS

CHECKOUT = Path(__file__).resolve().parent.parent
TOPS = ("verikit/", *(f"{folder}/" for folder in FOLDERS.values()))
SHIPPED = {
    ".md",
    ".py",
    ".ipynb",
    ".csv",
    ".toml",
    ".css",
    ".js",
    ".typed",
    ".json",
    ".j2",
    ".html",
    ".svg",
}


def run(*command, **options):
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, **options
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def tracked():
    """The files that belong to the project: those that git holds or would take."""
    if not (CHECKOUT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("only a git checkout knows which files belong to it")
    every = ("--cached", "--others", "--exclude-standard")
    listed = run("git", "ls-files", "-z", *every, cwd=CHECKOUT).split("\0")
    return [name for name in listed if name and (CHECKOUT / name).is_file()]


@pytest.fixture(scope="module")
def project(tracked):
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def build(tracked, folder, carry):
    """An sdist, and a wheel made from it, both built from a clean copy of what is here."""
    for name in tracked:
        (folder / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        carry(CHECKOUT / name, folder / "copy" / name)
    command = "import runpy, sys; build = runpy.run_path(sys.argv[1])['build']; "
    command += "build(sys.argv[2], sys.argv[3], 1_700_000_000)"
    places = [str(CHECKOUT / ".ci" / "build.py"), str(folder / "copy"), str(folder / "dist")]
    run(sys.executable, "-c", command, *places)
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def built(tracked, tmp_path_factory):
    return build(tracked, tmp_path_factory.mktemp("built"), shutil.copy2)


@pytest.fixture(scope="module")
def in_wheel(built):
    with zipfile.ZipFile(built[1]) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def installed_as(name):
    """Where a file of the checkout lies in the wheel."""
    for package, folder in FOLDERS.items():
        if name.startswith(f"{folder}/"):
            return f"{package.replace('.', '/')}/{name.removeprefix(f'{folder}/')}"
    return name


def test_the_list_of_packages_is_the_tree(project, tracked):
    listed = set(project["tool"]["setuptools"]["packages"])
    folders = {
        installed_as(name).rpartition("/")[0] for name in tracked if name.endswith("/__init__.py")
    }
    assert listed == {
        folder.replace("/", ".") for folder in folders if folder.startswith("verikit")
    }


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(in_wheel, tracked):
    ours = [name for name in tracked if name.startswith(TOPS)]
    packed = {name for name in in_wheel if ".dist-info/" not in name}
    assert packed == {installed_as(name) for name in ours}


def test_the_wheel_holds_modules_tables_notebooks_and_the_page_of_the_app(in_wheel):
    for part in (
        "verikit/__init__.py",
        "verikit/py.typed",
        "verikit/widgets/__init__.py",
        "verikit/_data/dm_table1.csv",
        "verikit/_data/dm_table1.toml",
        "verikit/_notebooks/check_your_record_app.ipynb",
        "verikit/_jupyter/share/jupyter/voila/templates/verikit/conf.json",
    ):
        assert part in in_wheel
    assert {Path(name).suffix for name in in_wheel if ".dist-info/" not in name} <= SHIPPED


def test_no_module_lands_beside_verikit(in_wheel, project):
    tops = {name.split("/")[0] for name in in_wheel}
    assert tops == {"verikit", f"verikit-{project['project']['version']}.dist-info"}


def test_the_same_files_give_the_same_bytes_at_another_time_and_place(built, tracked, tmp_path):
    for before, again in zip(built, build(tracked, tmp_path, shutil.copy), strict=True):
        assert before.name == again.name
        assert before.read_bytes() == again.read_bytes()


def test_the_license_travels_with_both(built, in_wheel):
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in in_wheel)
    with tarfile.open(built[0]) as archive:
        assert any(name.endswith("/LICENSE") for name in archive.getnames())


def test_the_sdist_holds_what_the_wheel_is_made_of_and_the_tests(built, tracked):
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    ours = {name for name in tracked if name.startswith(TOPS)}
    tests = {name for name in tracked if name.startswith("tests/")}
    whole = {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "SECURITY.md", "conftest.py"}
    assert ours | tests | whole <= names
    assert not {name for name in names if name.startswith(("benchmarks/", ".ci"))}


def test_every_module_of_the_wheel_can_be_imported_where_nothing_of_the_checkout_is(
    built, tmp_path
):
    """In a fresh environment that borrows the libraries of this one, but not its verikit."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=sys.platform != "win32")
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(
        run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    with zipfile.ZipFile(built[1]) as archive:
        archive.extractall(site)
    (site / "zz_borrowed.pth").write_text(sysconfig.get_path("purelib"))
    names = run(
        str(python), "-P", "-c",
        "import importlib, pkgutil, verikit\n"
        "found = [part.name for part in pkgutil.walk_packages(verikit.__path__, 'verikit.')]\n"
        "for name in found:\n"
        "    if not name.endswith('__main__'):\n"
        "        print(name, importlib.import_module(name).__file__)\n"
        "print(verikit.load('dm_table1'), verikit.__file__)\n",
        cwd=tmp_path,
    ).splitlines()  # fmt: skip
    assert all(str(site) in line for line in names), names
    assert len(names) > 40
    assert {"verikit.widgets", "verikit._data", "verikit.cli"} <= {
        line.split()[0] for line in names
    }


def test_what_is_under_the_agpl_is_an_extra_of_its_own(project):
    extras = project["project"]["optional-dependencies"]
    with_it = {name for name, needed in extras.items() if "pyreadr" in " ".join(needed)}
    assert with_it == {"r"}
    formats = (CHECKOUT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert ".[r]" in formats
    assert "AGPL" in formats


def test_dependencies_have_a_lower_and_no_upper_bound(project):
    extras = project["project"]["optional-dependencies"].values()
    for requirement in [
        *project["project"]["dependencies"],
        *(r for extra in extras for r in extra),
    ]:
        assert ">=" in requirement or requirement.startswith("verikit["), requirement
        assert not {"==", "<", "~=", "!="} & {
            requirement[i : i + n] for n in (1, 2) for i in range(len(requirement))
        }, requirement
