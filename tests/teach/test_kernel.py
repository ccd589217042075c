"""What a real kernel leaves in the notebook is what is graded."""

import json

import pytest

from verikit import teach
from verikit.exercises import EXERCISES, draw

nbclient = pytest.importorskip("nbclient", reason="verikit[jupyter] brings nbclient")
pytest.importorskip("nbgrader", reason="verikit[teach] brings nbgrader")


def test_answers_of_a_kernel_that_died_are_graded_as_far_as_they_were_saved(tmp_path, filled):
    import nbformat

    release = teach.assign("ps1", ["ka-01", "in-08", "in-04"], course=tmp_path)
    ada = filled(release, "ada")
    right = EXERCISES["ka-01"].right(draw(EXERCISES["ka-01"], "ada"))["people"]
    ada.write("ka-01", f'import numpy as np\ncheck("ka-01", {{"people": np.int64({right})}})')
    ada.write("in-08", "def publish(data, seed):\n"
              "    return vk.mask.noise(data, scale=4, seed=seed)\n"
              'check("in-08", publish)')  # fmt: skip
    ada.write("in-04", "import os\nos._exit(1)")
    notebook = nbformat.reads(json.dumps(ada.content), as_version=4)
    elsewhere = {"metadata": {"path": str(tmp_path)}}  # a checkout holds the core alone
    with pytest.raises(nbclient.exceptions.DeadKernelError):
        nbclient.NotebookClient(
            notebook, timeout=120, allow_errors=True, resources=elsewhere
        ).execute()
    path = tmp_path / "submitted" / "ada" / "ps1" / "ps1.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    (line,) = teach.grade("ps1", course=tmp_path).to_dict("records")
    assert (line["student_id"], line["score"], line["max_score"], line["note"]) == ("ada", 6, 7, "")
