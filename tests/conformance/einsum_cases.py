"""Cases of Einsum: where its axes lie, which are summed, what is repeated and what only the run tells."""
import numpy as np

from case_writer import case, data, f4, node

EXTENTS = dict(zip("abcdefij", (2, 3, 4, 5, 2, 3, 4, 4)))


def operand(term, seed, dtype):
    shape = [EXTENTS[letter] for letter in term]
    if np.issubdtype(dtype, np.integer):
        return np.random.RandomState(seed).randint(-9, 9, shape).astype(dtype)
    return data(*shape, seed=seed).astype(dtype)


def equation(name, text, dtype=f4, open_letters="", constant=None):
    """constant: the operand that the model holds. open_letters: axes of which only the run tells the extent."""
    terms = text.split("->")[0].replace(" ", "").split(",")
    operands = {"x%d" % i: operand(t, i + 1, dtype) for i, t in enumerate(terms)}
    held = {} if constant is None else {"x%d" % constant: operands["x%d" % constant]}
    given = {k: v for k, v in operands.items() if k not in held}
    shapes = {"x%d" % i: [l if l in open_letters else EXTENTS[l] for l in t] for i, t in enumerate(terms)}
    exact = np.float64 if np.issubdtype(dtype, np.floating) else dtype
    y = np.einsum(text, *[v.astype(exact) for v in operands.values()]).astype(dtype)
    if open_letters:
        shapes["y"] = [l if l in open_letters else EXTENTS[l] for l in text.split("->")[1].strip()]
    case("Einsum_12_" + name, 12, node("Einsum", list(operands), ["y"], equation=text), given, {"y": np.asarray(y)},
         init=held, shapes=shapes if open_letters else None, tolerance=1e-4 if dtype == f4 else None)


def make():
    equation("heads", "abcd,aebd->abce")
    equation("one_matrix_for_all", "abc,cd->abd", constant=1)
    equation("matrix_turned", "abc,dc->abd", constant=1)
    equation("left_and_right_of_two_axes", "aibc,adebc->aide")
    equation("nothing_summed", "ab,cb->bac")
    equation("outer", "ab,cd->dacb")
    equation("no_shared_axis", "ab,cd->ad")
    equation("matrix_and_vector", "ab,b->a")
    equation("vector_and_matrix", "b,ab->a")
    equation("scalar_operand", "ab,->ba")
    equation("all_summed", "abc,cba->")
    equation("transposed", "abc->cab")
    equation("trace_of_blocks", "aiib->ab")
    equation("implied_output", "ba,cb")
    equation("three", "ab,bc,cd->ad")
    equation("three_growing", "ab,cd,ac->bd")
    equation("four_with_one_summed_early", "abe,bc,cd,f->ad")
    equation("double", "abc,cd->adb", dtype=np.float64)
    equation("int32", "abc,acd->abd", dtype=np.int32)
    equation("bytes", "abc,acd->abd", dtype=np.int8)
    equation("open_stack", "abcd,abed->abce", open_letters="ab")
    equation("open_rows", "abcd,dc->ab", open_letters="ab")
    equation("open_merged", "abcd,ced->abe", open_letters="c")
    equation("open_right", "ab,bcd->acd", open_letters="acd")
    equation("open_everywhere", "abc,acd->abd", open_letters="abcd")
    equation("open_outer", "ab,cd->abcd", open_letters="abcd")
    x, y = data(2, 1, 3, 4, seed=1), data(5, 4, 2, seed=2)
    case("Einsum_12_ellipsis_broadcasts", 12, node("Einsum", ["x", "y"], ["z"], equation="...ij,...jk->...ik"),
         {"x": x, "y": y}, {"z": np.einsum("...ij,...jk->...ik", x.astype(np.float64), y).astype(f4)}, tolerance=1e-4)
