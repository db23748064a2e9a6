import subprocess
import sys

import pytest
from pydantic import ValidationError

from rowspace.data.glosses import Glosses


def option(**changed):
    values = {"name": "glosses", "documents": "packed", "val_fraction": 0.05, "test_fraction": 0.05, "take": None}
    return Glosses(**(values | changed))


def test_shares_that_leave_too_little_to_train_on_are_a_problem():
    (problem,) = option(val_fraction=0.45, test_fraction=0.4).problems(None)
    assert str(problem) == (
        "data.val_fraction: 0.45 with data.test_fraction 0.4 makes 0.85; together at most 0.8, the rest is for training"
    )
    assert not list(option().problems(None))


@pytest.mark.parametrize("wrong", [{"val_fraction": 0}, {"take": 2}, {"documents": "both"}, {"test_fraction": 0.5}])
def test_values_out_of_bounds_are_refused(wrong):
    with pytest.raises(ValidationError):
        option(**wrong)


def test_options_are_read_without_torch_datasets_or_numpy():
    code = (
        "import sys, rowspace.data.glosses, rowspace.data.synthetic, rowspace.data.text, rowspace.data.hub;"
        "print([m for m in ('torch', 'datasets', 'numpy', 'pyarrow') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
