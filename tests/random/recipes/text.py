"""Strings, and the operators of ai.onnx.ml."""
import numpy as np

from build import Skip
from recipes.registry import broadcast, partner_shape, recipe

ML = "ai.onnx.ml"


@recipe(text=10)
def string_concat(g):
    g.need("StringConcat")
    x = g.pick("string")
    y = g.fresh("string", partner_shape(g, x.shape))
    g.op("StringConcat", [x, y], [("string", broadcast(x.shape, y.shape), 0, 0, 0)])


@recipe(text=6)
def string_equal(g):
    if g.need("Equal") < 19:
        raise Skip("strings")
    x = g.pick("string")
    y = g.fresh("string", partner_shape(g, x.shape))
    g.op("Equal", [x, y], [("bool", broadcast(x.shape, y.shape), 0, 1, 0)])


@recipe(text=5)
def regex(g):
    g.need("RegexFullMatch")
    x = g.pick("string")
    pattern = g.rng.choice(["a.*", "[ab]+", "(a|b)?b", "\\w* \\w*", ".*"])
    g.op("RegexFullMatch", [x], [("bool", x.shape, 0, 1, 0)], pattern=pattern)


@recipe(text=4)
def normalizer(g):
    g.need("StringNormalizer")
    x = g.fresh("string", (g.rng.randint(1, 5),))
    g.op("StringNormalizer", [x], [("string", x.shape, 0, 0, 0)], case_change_action=g.rng.choice(["UPPER", "LOWER"]),
         is_case_sensitive=1)


@recipe(text=6, general=1)
def label_encoder(g):
    g.need("LabelEncoder", ML)
    if g.chance(0.5):
        x = g.pick("string")
        return g.op("LabelEncoder", [x], [("int64", x.shape, -1, 9, 0)], domain=ML, keys_strings=["a", "b", "ab"],
                    values_int64s=[3, 4, 9], default_int64=g.rng.choice([None, 0]))
    x = g.pick("int64")
    return g.op("LabelEncoder", [x], [("string", x.shape, 0, 0, 0)], domain=ML, keys_int64s=[1, 2, 3],
                values_strings=["x", "y", "z"])


def table(g, exact=None):
    return g.pick("float", rank=2, where=lambda v: v.size > 0 and v.mag < 1e4 and (not exact or v.exact))


@recipe(text=8, general=1)
def feature_operators(g):
    op = g.rng.choice(["Binarizer", "Normalizer", "Scaler", "LinearRegressor", "Imputer", "ArrayFeatureExtractor"])
    g.need(op, ML)
    x = table(g, op in ("Binarizer", "Imputer"))
    n = x.shape[1]
    if op == "Binarizer":
        g.same(op, x, 0, 1, 0, domain=ML, threshold=0.5)
    elif op == "Normalizer":
        g.same(op, x, -1, 1, domain=ML, norm=g.rng.choice(["MAX", "L1", "L2"]))
    elif op == "Scaler":
        g.same(op, x, -2 * x.mag - 8, 2 * x.mag + 8, domain=ML, offset=[0.5] * n, scale=[2.0] * n)
    elif op == "LinearRegressor":
        t = g.rng.choice([1, 2])
        mag = x.mag * n * 2 + 1
        g.same(op, x, -mag, mag, shape=(x.shape[0], t), domain=ML, targets=t, coefficients=[0.5 + i for i in range(t * n)],
               intercepts=[1.0] * t)
    elif op == "Imputer":
        g.same(op, x, min(x.lo, 1), max(x.hi, 1), x.frac, domain=ML, imputed_value_floats=[1.0],
               replaced_value_float=0.5)
    else:
        index = g.const(g.np_rng().randint(0, n, (g.rng.randint(1, 3),)).astype(np.int64), hidden=True)
        g.same(op, x, frac=x.frac, shape=(x.shape[0], index.size), extra=[index], domain=ML)


def small_trees(g, features, leaf):
    """Attributes of trees with three comparisons each; `leaf`: what follows tree and node at a leaf."""
    nodes = {k: [] for k in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    votes = {"treeids": [], "nodeids": [], "ids": [], "weights": []}
    for tree in range(g.rng.randint(1, 3)):
        for node in range(7):
            inner = node < 3
            row = (tree, node, g.rng.randrange(features) if inner else 0, g.rng.randint(-8, 8) / 4 if inner else 0.0,
                   g.rng.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT"]) if inner and g.style.get("modes") else
                   "BRANCH_LEQ" if inner else "LEAF", 2 * node + 1 if inner else 0, 2 * node + 2 if inner else 0)
            for key, value in zip(nodes, row):
                nodes[key].append(value)
            if not inner:
                for key, value in zip(votes, (tree, node, *leaf())):
                    votes[key].append(value)
    return {"nodes_" + k: v for k, v in nodes.items()}, votes


@recipe(text=6)
def trees(g):
    """Small trees; comparisons need exact features."""
    g.need("TreeEnsembleRegressor", ML)
    x = table(g, True)
    attributes, votes = small_trees(g, x.shape[1], lambda: (0, g.rng.randint(-9, 9) / 2))
    attributes.update({"target_" + k: v for k, v in votes.items()})
    g.same("TreeEnsembleRegressor", x, -30, 30, shape=(x.shape[0], 1), domain=ML, n_targets=1, **attributes)


@recipe(text=6)
def tree_classes(g):
    """No two classes have equal scores, none is negative."""
    g.need("TreeEnsembleClassifier", ML)
    x, classes = table(g, True), 3
    attributes, votes = small_trees(g, x.shape[1], lambda: (g.rng.randrange(classes), g.rng.randint(0, 9) / 2))
    attributes.update({"class_" + k: v for k, v in votes.items()})
    g.op("TreeEnsembleClassifier", [x], [("int64", x.shape[:1], 0, 9, 0), ("float", (x.shape[0], classes), 0, 30, None)],
         domain=ML, classlabels_int64s=[4, 0, 7], base_values=[i / 64 for i in range(classes)],
         post_transform=g.rng.choice(["NONE", "LOGISTIC", "SOFTMAX"]), **attributes)


@recipe(text=5)
def support_vector_classes(g):
    """Without probabilities: votes of pairs of classes decide the label, which is not read."""
    g.need("SVMClassifier", ML)
    x = g.pick("float", rank=2, where=lambda v: v.size > 0 and v.mag < 8, fresh=(2, 3))
    n, each, classes = x.shape[1], 2, 3
    count = each * classes
    rng = g.np_rng()
    y, scores = g.op("SVMClassifier", [x], [("int64", x.shape[:1], 0, 9, 0), ("float", (x.shape[0], 3), -1e5, 1e5, None)],
                     domain=ML, classlabels_ints=[1, 2, 3], vectors_per_class=[each] * classes, kernel_type=g.rng.choice(["LINEAR", "RBF"]),
                     kernel_params=[0.125, 1.0, 2.0], rho=[0.5, -0.25, 0.125], post_transform="NONE",
                     coefficients=(rng.randint(-8, 9, count * (classes - 1)) / 4).tolist(),
                     support_vectors=(rng.randint(-4, 5, count * n) / 4).tolist())
    y.hidden = scores.hidden = True
    g.same("Identity", scores, scores.lo, scores.hi)


@recipe(text=5)
def count_words(g):
    g.need("TfIdfVectorizer")
    strings = g.chance(0.5)
    x = g.fresh("string" if strings else "int64", g.rng.choice([(5,), (2, 4)]), lo=0, hi=3)
    pool = {"pool_strings": ["a", "b", "ab", "a", "b", "a"]} if strings else {"pool_int64s": [0, 1, 2, 0, 1, 2]}
    # Two words alone, then two pairs.
    mode = g.rng.choice(["TF", "IDF", "TFIDF"])
    weights = None if mode == "TF" else [0.5, 2.0, 1.0, 3.0]
    g.same("TfIdfVectorizer", x, 0, 99, 0, type="float", shape=x.shape[:-1] + (4,), mode=mode, min_gram_length=1,
           max_gram_length=2, max_skip_count=g.rng.choice([0, 1]), ngram_counts=[0, 2], ngram_indexes=[2, 0, 1, 3],
           weights=weights, **pool)


@recipe(text=5, general=1)
def categories(g):
    op = g.rng.choice(["CategoryMapper", "OneHotEncoder", "FeatureVectorizer"])
    g.need(op, ML)
    if op == "FeatureVectorizer":
        a = table(g)
        b = g.fresh("float", (a.shape[0], g.rng.choice([1, 2, 3])))
        frac = None if a.frac is None or b.frac is None else max(a.frac, b.frac)
        return g.op(op, [a, b], [("float", (a.shape[0], a.shape[1] + b.shape[1]), min(a.lo, b.lo), max(a.hi, b.hi), frac)],
                    domain=ML, inputdimensions=[a.shape[1], b.shape[1]])
    if op == "OneHotEncoder":
        x = g.pick("int64", where=lambda v: v.rank < 4)
        return g.same(op, x, 0, 1, 0, type="float", shape=x.shape + (3,), domain=ML, cats_int64s=[0, 1, 4], zeros=1)
    if g.chance(0.5):
        x = g.pick("string")
        return g.same(op, x, -1, 9, 0, type="int64", domain=ML, cats_strings=["a", "b"], cats_int64s=[4, 7],
                      default_int64=g.rng.choice([None, 2]))
    x = g.pick("int64")
    return g.same(op, x, 0, 0, 0, type="string", domain=ML, cats_strings=["a", "b"], cats_int64s=[1, 2])


@recipe(text=6, general=1)
def classifiers(g):
    """Scores that are far apart: a label is discontinuous."""
    g.need("LinearClassifier", ML)
    x = table(g, True)
    n, classes = x.shape[1], g.rng.choice([3, 4])
    after = g.rng.choice(["NONE", "LOGISTIC", "SOFTMAX"])
    coefficients = (g.np_rng().randint(-8, 9, classes * n) / 4).tolist()
    y, scores = g.op("LinearClassifier", [x], [("int64", x.shape[:1], 0, 9, 0), ("float", (x.shape[0], classes), -1e5, 1e5, None)],
                     domain=ML, classlabels_ints=list(range(2, 2 + classes)), coefficients=coefficients,
                     intercepts=[i / 64 for i in range(classes)], post_transform=after, multi_class=0)
    y.hidden = after != "NONE"
    scores.hidden = False


@recipe(text=5)
def support_vectors(g):
    g.need("SVMRegressor", ML)
    x = g.pick("float", rank=2, where=lambda v: v.size > 0 and v.mag < 8, fresh=(2, 3))
    n, vectors = x.shape[1], 3
    kind = g.rng.choice(["LINEAR", "POLY", "RBF", "SIGMOID"])
    g.same("SVMRegressor", x, -1e5, 1e5, shape=(x.shape[0], 1), domain=ML, kernel_type=kind,
           kernel_params=[0.125, 1.0, 2.0], n_supports=vectors, rho=[0.5], post_transform="NONE",
           coefficients=[1.0, -0.5, 2.0], support_vectors=(g.np_rng().randint(-4, 5, vectors * n) / 4).tolist())
