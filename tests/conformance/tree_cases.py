"""Decision trees of ai.onnx.ml: all modes, ties, missing values, transforms; and wrong forests."""
import numpy as np
from onnx import numpy_helper

from case_writer import case, data, f4, i8, node, refused, rng

ML = "ai.onnx.ml"
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
COMPARE = [np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
AGGREGATES = ["AVERAGE", "SUM", "MIN", "MAX"]


def one(op, version, inputs, outputs, suffix, **attributes):
    case("%s_%d%s" % (op, version, suffix), version,
         node(op, list(inputs), list(outputs), domain=ML, **attributes), inputs, outputs, domain=ML)


class Forest:
    """Nodes of a tree: dicts with feature, mode, split, missing, yes, no; or with votes."""

    def __init__(self, x, trees, leaves, targets, modes, votes, seed, missing=True, low=-1.0):
        self.random, self.x, self.targets = rng(seed), x, targets
        self.trees = [self.grow(leaves, modes, missing) for _ in range(trees)]
        for t, tree in enumerate(self.trees):
            for n in tree:
                if "mode" not in n:
                    kind = np.float16 if x.dtype == np.float16 else f4
                    n["votes"] = {k: kind(self.random.uniform(low, 1)) for k in votes(self, t)}

    def grow(self, leaves, modes, missing):
        tree, ends = [{}], [0]
        while len(ends) < leaves:
            n = tree[ends.pop(self.random.randint(len(ends)))]
            feature = self.random.randint(self.x.shape[1])
            # Half of the splits equal a feature of some row.
            split = self.x[self.random.randint(len(self.x)), feature]
            if self.random.randint(2) or split != split:
                split = self.x.dtype.type(self.random.randint(-2, 3))
            n.update(feature=feature, split=split, mode=modes[self.random.randint(len(modes))],
                     missing=self.random.randint(2) if missing else 0, yes=len(tree), no=len(tree) + 1)
            if n["mode"] == 6:
                n["set"] = np.unique(self.x[:4, feature][~np.isnan(self.x[:4, feature])])
            ends += [len(tree), len(tree) + 1]
            tree += [{}, {}]
        return tree

    def leaf(self, tree, row):
        n = tree[0]
        while "mode" in n:
            v = row[n["feature"]]
            if v != v:
                holds = n["missing"]
            else:
                holds = v in n["set"] if n["mode"] == 6 else COMPARE[n["mode"]](v, n["split"])
            n = tree[n["yes" if holds else "no"]]
        return n

    def scores(self, aggregate="SUM", base=None, rows=None):
        out = []
        for row in self.x if rows is None else rows:
            votes = [[] for _ in range(self.targets)]
            for tree in self.trees:
                for k, w in self.leaf(tree, row)["votes"].items():
                    votes[k].append(float(w))
            combine = {"SUM": sum, "AVERAGE": lambda v: sum(v) / len(self.trees),
                       "MIN": lambda v: min(v, default=0), "MAX": lambda v: max(v, default=0)}
            out.append([combine[aggregate](v) for v in votes])
        return np.array(out) + (0 if base is None else np.array(base))

    def attributes(self, prefix, doubles=False):
        """As versions 1 and 3 have them."""
        columns = ["treeids", "nodeids", "featureids", "modes", "values", "truenodeids",
                   "falsenodeids", "missing_value_tracks_true"]
        nodes = {c: [] for c in columns}
        votes = {c: [] for c in ("treeids", "nodeids", "ids", "weights")}
        for t, tree in enumerate(self.trees):
            for i, n in enumerate(tree):
                own = (t, i, 0, "LEAF", 0.0, 0, 0, 0)
                if "mode" in n:
                    own = (t, i, n["feature"], MODES[n["mode"]], float(n["split"]), n["yes"], n["no"],
                           int(n["missing"]))
                for c, v in zip(columns, own):
                    nodes[c].append(v)
                for k, w in n.get("votes", {}).items():
                    for c, v in zip(votes, (t, i, k, float(w))):
                        votes[c].append(v)
        out = {"nodes_" + c: v for c, v in nodes.items()}
        out.update({prefix + "_" + c: v for c, v in votes.items()})
        for name in ("nodes_values", prefix + "_weights") if doubles else ():
            out[name + "_as_tensor"] = numpy_helper.from_array(np.array(out.pop(name)), name)
        return out

    def leaf_attributes(self, dtype):
        """As version 5 has them."""
        names = ["featureids", "truenodeids", "trueleafs", "falsenodeids", "falseleafs",
                 "missing_value_tracks_true"]
        out, modes, splits, sets, roots = {"nodes_" + k: [] for k in names}, [], [], [], []
        targets, weights = [], []
        for tree in self.trees:
            branches = [i for i, n in enumerate(tree) if "mode" in n]
            places = {i: len(modes) + k for k, i in enumerate(branches)}
            for n in tree:
                if "mode" not in n:
                    (target, weight), = n["votes"].items()
                    n["leaf"] = len(weights)
                    targets.append(target)
                    weights.append(weight)
            roots.append(len(modes))
            for i in branches:
                n = tree[i]
                modes.append(n["mode"])
                splits.append(n["split"])
                if n["mode"] == 6:
                    sets += list(n["set"]) + [np.nan]
                out["nodes_featureids"].append(n["feature"])
                out["nodes_missing_value_tracks_true"].append(int(n["missing"]))
                for side, child in (("true", n["yes"]), ("false", n["no"])):
                    leaf = child not in places
                    out["nodes_%snodeids" % side].append(tree[child]["leaf"] if leaf else places[child])
                    out["nodes_%sleafs" % side].append(int(leaf))
        tensor = lambda values, name, kind=dtype: numpy_helper.from_array(np.array(values, kind), name)
        out.update(nodes_modes=tensor(modes, "nodes_modes", np.uint8), tree_roots=roots,
                   nodes_splits=tensor(splits, "nodes_splits"), leaf_targetids=targets,
                   leaf_weights=tensor(weights, "leaf_weights"))
        if sets:
            out["membership_values"] = tensor(sets, "membership_values")
        return out


def any_target(forest, tree):
    return [int(forest.random.randint(forest.targets))]


def all_targets(forest, tree):
    return range(forest.targets)


def by_tree(forest, tree):
    return [tree % forest.targets]


def some_targets(forest, tree):
    return [k for k in range(forest.targets) if forest.random.randint(2)]


def first_target(forest, tree):
    return [0]


def with_holes(rows, features, seed=7):
    x = np.round(data(rows, features, seed=seed) * 2) / 2
    x[rng(seed + 1).uniform(size=x.shape) < 0.15] = np.nan
    return x.astype(f4)


def transformed(name, scores):
    s = scores.astype(np.float64)
    if name == "LOGISTIC":
        return 1 / (1 + np.exp(-s))
    if name == "PROBIT":
        log = np.log((2 - 2 * s) * (2 * s))
        v = 2 / (np.pi * 0.147) + log / 2
        return np.sqrt(2) * np.sign(2 * s - 1) * np.sqrt(np.sqrt(v * v - log / 0.147) - v)
    if name == "NONE":
        return s
    e = np.exp(s - s.max(1, keepdims=True))
    if name == "SOFTMAX_ZERO":
        e = np.where(s == 0, 0, e)
    return e / e.sum(1, keepdims=True)


def regressor_cases():
    holes = with_holes(19, 4)
    doubles = np.where(np.isnan(holes), np.nan, holes + 1e-12 * data(19, 4)).astype(np.float64)
    numbers = np.round(data(11, 4, seed=3)).astype(i8)
    sorts = [("float", holes, any_target), ("double", doubles, some_targets),
             ("int64", numbers, all_targets), ("int32", numbers.astype(np.int32), by_tree)]
    for seed, (name, x, votes) in enumerate(sorts):
        forest = Forest(x, 9, 7, 3, range(6), votes, 20 + seed)
        for aggregate in AGGREGATES:
            one("TreeEnsembleRegressor", 3, {"x": x}, {"y": forest.scores(aggregate).astype(f4)},
                "_%s_%s" % (name, aggregate), n_targets=3, aggregate_function=aggregate,
                **forest.attributes("target", name == "double"))
    # Trees that compare alike walk without modes; one target has its weights in the splits.
    for suffix, modes in (("LEQ", [0, 3]), ("LT", [1, 2])):
        forest = Forest(holes, 10, 9, 1, modes, first_target, 31)
        one("TreeEnsembleRegressor", 1, {"x": holes}, {"y": forest.scores(base=[0.5]).astype(f4)},
            "_" + suffix, n_targets=1, base_values=[0.5], **forest.attributes("target"))
        forest = Forest(holes, 3, 9, 1, modes, first_target, 32, missing=False)
        row = holes[1]
        one("TreeEnsembleRegressor", 1, {"x": row}, {"y": forest.scores(rows=[row]).astype(f4)},
            "_%s_vector" % suffix, n_targets=1, **forest.attributes("target"))
    forest = Forest(holes, 4, 5, 2, range(6), all_targets, 33, low=0.05)
    for transform in TRANSFORMS:
        y = transformed(transform, forest.scores("AVERAGE"))
        one("TreeEnsembleRegressor", 3, {"x": holes}, {"y": y.astype(f4)}, "_" + transform,
            n_targets=2, aggregate_function="AVERAGE", post_transform=transform,
            **forest.attributes("target"))


def classifier_cases():
    x = with_holes(12, 3, seed=5)
    words = np.array(["low", "middle", "high"], object)
    forest = Forest(x, 6, 6, 3, range(6), some_targets, 40)
    base = [0.25, -0.5, 0.125]
    for transform in TRANSFORMS[:4]:
        scores = forest.scores(base=base)
        one("TreeEnsembleClassifier", 3, {"x": x},
            {"y": words[scores.argmax(1)], "z": transformed(transform, scores).astype(f4)},
            "_" + transform, base_values=base, post_transform=transform,
            classlabels_strings=list(words), **forest.attributes("class"))
    # Two classes of which one gets votes: probabilities, or a score of any sign.
    labels = np.array([-3, 8], i8)
    for name, low, threshold in (("positive", 0.0, 0.5), ("signed", -1.0, 0.0)):
        forest = Forest(x, 2, 6, 2, [0], first_target, 41, low=low)
        s = forest.scores()[:, 0]
        rest = 1 - s if low == 0 else -s
        logistic = transformed("LOGISTIC", np.stack([-s, s], 1))
        for transform, z in (("NONE", np.stack([rest, s], 1)), ("LOGISTIC", logistic)):
            one("TreeEnsembleClassifier", 3, {"x": x},
                {"y": labels[(s > threshold).astype(int)], "z": z.astype(f4)},
                "_%s_%s" % (name, transform), post_transform=transform,
                classlabels_int64s=labels.tolist(), **forest.attributes("class"))


def ensemble_cases():
    x = with_holes(17, 3, seed=9)
    for dtype, name in ((np.float32, "float"), (np.float64, "double"), (np.float16, "float16")):
        forest = Forest(x.astype(dtype), 5, 8, 3, range(7), any_target, 50)
        for k, aggregate in enumerate(AGGREGATES):
            if dtype != np.float32 and aggregate != "SUM":
                continue
            one("TreeEnsemble", 5, {"x": x.astype(dtype)},
                {"y": forest.scores(aggregate).astype(dtype)}, "_%s_%s" % (name, aggregate),
                n_targets=3, aggregate_function=k, **forest.leaf_attributes(dtype))
    forest = Forest(x, 4, 6, 2, [6, 4], any_target, 51)
    y = transformed("SOFTMAX", forest.scores())
    one("TreeEnsemble", 5, {"x": x}, {"y": y.astype(f4)}, "_SOFTMAX", n_targets=2,
        post_transform=1, **forest.leaf_attributes(f4))


def wrong(op, version, suffix, message, attributes):
    outputs = ["y", "z"] if op.endswith("Classifier") else ["y"]
    refused("%s_%d_%s" % (op, version, suffix), version,
            node(op, ["x"], outputs, domain=ML, **attributes), {"x": data(2, 3)}, message, domain=ML)


def wrong_cases():
    forest = Forest(data(4, 3), 2, 4, 2, [0], any_target, 60)

    def changed(name, at, value):
        attributes = dict(forest.attributes("target"), n_targets=2)
        attributes[name] = list(attributes[name])
        if at is None:
            attributes[name] = attributes[name][:value]
        else:
            attributes[name][at] = value
        return attributes

    op = "TreeEnsembleRegressor"
    leaf = forest.attributes("target")["nodes_modes"].index("LEAF")
    for suffix, message, attributes in (
            ("cycle", "leads to node 0 a second time", changed("nodes_truenodeids", 0, 0)),
            ("child", "tree 0 has no node 99", changed("nodes_falsenodeids", 0, 99)),
            ("twice", "tree 0 has two nodes 1", changed("nodes_nodeids", 0, 1)),
            ("mode", "BRANCH_MAYBE is no mode", changed("nodes_modes", 0, "BRANCH_MAYBE")),
            ("feature", "-1 is no feature", changed("nodes_featureids", 0, -1)),
            ("narrow", "3 features, the trees look at 8", changed("nodes_featureids", 0, 7)),
            ("length", "entries for", changed("nodes_values", None, 3)),
            ("target", "2 is not below 2", changed("target_ids", 0, 2)),
            ("vote", "tree 0 has no node 77", changed("target_nodeids", 0, 77)),
            ("aggregate", "MEDIAN, not one of",
             dict(changed("target_ids", 0, 0), aggregate_function="MEDIAN"))):
        wrong(op, 3, suffix, message, attributes)
    assert leaf > 0

    leaves = dict(forest.leaf_attributes(f4), n_targets=2)
    for suffix, message, name, value in (
            ("root", "there is no node 50", "tree_roots", [0, 50]),
            ("leaf", "there is no leaf 70", "nodes_truenodeids", [70] * 6),
            ("length", "entries for", "nodes_featureids", [0]),
            ("transform", "is 5", "post_transform", 5),
            ("sets", "sets for", "membership_values",
             numpy_helper.from_array(np.array([1, np.nan], f4), "membership_values"))):
        bad = dict(leaves)
        bad[name] = value
        if suffix == "leaf":
            bad["nodes_trueleafs"] = [1] * 6
        wrong("TreeEnsemble", 5, suffix, message, bad)

    wrong("LinearClassifier", 1, "length", "5 coefficients for 3 scores",
          dict(classlabels_ints=[1, 2, 3], coefficients=[1.0] * 5, intercepts=[0.0] * 3))
    wrong("LinearClassifier", 1, "labels", "no labels", dict(coefficients=[1.0] * 3))
    wrong("Scaler", 1, "length", "2 scales and 3 offsets", dict(scale=[1.0] * 2, offset=[0.0] * 3))
    wrong("Normalizer", 1, "norm", "L3, not one of", dict(norm="L3"))
    wrong("Imputer", 1, "both", "only the values of the input's own kind",
          dict(imputed_value_floats=[1.0], imputed_value_int64s=[1]))
    wrong("OneHotEncoder", 1, "none", "0 lists have members", {})
    wrong("SVMRegressor", 1, "length", "4 numbers for 3 vectors",
          dict(n_supports=3, support_vectors=[1.0] * 4, coefficients=[1.0] * 3, rho=[0.0]))
    wrong("SVMClassifier", 1, "counts", "1 counts for 2 classes",
          dict(classlabels_ints=[0, 1], vectors_per_class=[2], support_vectors=[1.0] * 6,
               coefficients=[1.0] * 2, rho=[0.0]))


def make():
    for group in (regressor_cases, classifier_cases, ensemble_cases, wrong_cases):
        group()
