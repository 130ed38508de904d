import numpy as np
import pytest

from conceptrules import MLLPClassifier, __version__
from conceptrules.io.model_file import dumps, loads
from conceptrules.learn.provenance import describe_training


def test_settings_are_sorted_plain_values():
    settings = {"layers": (64,), "kinds": {"zip": "category"}, "l2": np.float64(0.5), "n_jobs": 3, "callback": print}
    training = describe_training(
        {**settings, "random_state": np.int64(4), "patience": None}, 12, (("zip", 3),), rate=0.5, epoch=7
    )
    assert training.settings == (("kinds", ("zip=category",)), ("l2", 0.5), ("layers", (64,)), ("patience", None))
    assert (training.version, training.seed, training.rows) == (__version__, 4, 12)
    assert (training.rate, training.epoch, training.categories_dropped) == (0.5, 7, (("zip", 3),))


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0)])
def test_a_seed_that_is_not_a_number_cannot_be_kept(seed):
    assert describe_training({"random_state": seed}, 12, ()).seed is None


def test_a_fit_says_how_it_was_done():
    rows = [[f"c{i % 6}", i % 3] for i in range(60)]
    clf = MLLPClassifier(layers=(4,), max_categories=4, max_epochs=3, random_state=1)
    with pytest.warns(UserWarning, match="has 6 categories"):
        clf.fit(rows, [row[1] > 0 for row in rows], sample_weight=[0, *[1] * 59])
    training = clf.network_.training
    assert (training.seed, training.rows, training.categories_dropped) == (1, 59, (("x0", 2),))
    assert (training.rate, training.epoch) in {(line["rate"], line["epoch"]) for line in clf.history_}
    assert dict(training.settings)["layers"] == (4,)
    assert loads(dumps(clf.network_)).training == training


def test_relations_are_written_as_on_the_command_line():
    told = {"relations": [("debt", "/", "income"), ("paid", "<", "due")], "kinds": {"size": ["S", "M"]}}
    assert describe_training(told, 10, ()).settings == (
        ("kinds", ("size=S<M",)),
        ("relations", ("debt / income", "paid < due")),
    )
