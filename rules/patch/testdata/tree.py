"""Helper of the tests: trees of Python sources, and checks of edited ones.

Reads a JSON request from standard input and writes a JSON answer:

  {"op": "trees", "sources": [...]}  ->  [tree or null if it does not parse, ...]
  {"op": "check", "cases": [...]}    ->  ["" or what is wrong, ...]

Sources are base64. A tree has a node {"_": class, "s": start, "e": end, ...}
for each ast node, with offsets in bytes, and its comments as [start, end].
A case has the source before and after an edit, and says what the edit was
meant to do with the tree; the two trees must be equal but for that.
"""

import ast
import base64
import io
import json
import re
import sys
import tokenize
import warnings

warnings.simplefilter("ignore")
BOM = b"\xef\xbb\xbf"


def line_starts(source):
    base = len(BOM) if source.startswith(BOM) else 0
    return [base] + [m.end() for m in re.finditer(rb"\r\n|\r|\n", source)]


def encode(node, lines):
    if type(node).__name__ == "Index":  # Python 3.8 puts it around a subscript
        node = node.value
    out = {"_": type(node).__name__}
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            out[name] = encode(value, lines)
        elif isinstance(value, list):
            out[name] = [encode(v, lines) if isinstance(v, ast.AST) else None for v in value]
    if hasattr(node, "lineno"):
        out["s"] = lines[node.lineno - 1] + node.col_offset
        out["e"] = lines[node.end_lineno - 1] + node.end_col_offset
    else:
        below = [v for vs in out.values() for v in (vs if isinstance(vs, list) else [vs]) if isinstance(v, dict)]
        out["s"] = min((v["s"] for v in below), default=0)
        out["e"] = max((v["e"] for v in below), default=0)
    return out


def comments(source, lines):
    text = source.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    rows = text.split("\n")
    found = []
    for tok in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
        if tok.type == tokenize.COMMENT:
            row, column = tok.start
            start = lines[row - 1] + len(rows[row - 1][:column].encode())
            found.append([start, start + len(tok.string.encode())])
    return found


def tree(source):
    lines = line_starts(source)
    try:
        root = ast.parse(source)
    except SyntaxError:
        return None
    out = encode(root, lines)
    out["comments"] = comments(source, lines)
    out["lines"] = lines
    return out


def blocks(node):
    for child in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(child, name, None)
            if isinstance(block, list):
                yield block


def position(node, source):
    return line_starts(source)[node.lineno - 1] + node.col_offset


def find(root, source, start):
    """Return the block and the index of the statement at a byte offset."""
    lines = line_starts(source)
    for block in blocks(root):
        for i, stmt in enumerate(block):
            if lines[stmt.lineno - 1] + stmt.col_offset == start:
                return block, i
    raise LookupError(start)


def expected(case, before):
    """Return the tree of the source before, changed as the edit should."""
    root = ast.parse(before)
    new = ast.parse("\n".join(case["lines"]).replace("\t", "    ")).body
    block, i = find(root, before, case["start"])
    n = case["count"]
    stmts = block[i : i + n]
    op = case["edit"]
    if op in ("MoveBefore", "MoveAfter"):
        target, j = find(root, before, case["target"])
        anchor = target[j]
        del block[i : i + n]
        j = next(k for k, s in enumerate(target) if s is anchor) + (op == "MoveAfter")
        target[j:j] = stmts
        if not block and block is not root.body:
            block.append(ast.Pass())
    elif op == "InsertBefore":
        block[i:i] = new
    elif op == "InsertAfter":
        block[i + 1 : i + 1] = new
    elif op == "Delete":
        block[i : i + n] = []
        if not block and block is not root.body:
            block.append(ast.Pass())
    elif op == "ReplaceStmts":
        block[i : i + n] = new
    elif op in ("WrapWith", "WrapIf"):
        new[0].body = stmts
        block[i : i + n] = new
    elif op == "AddElse":
        stmt = block[i]
        while len(stmt.orelse) == 1 and before.startswith(b"elif", position(stmt.orelse[0], before)):
            stmt = stmt.orelse[0]
        stmt.orelse[0:0] = new
    else:
        raise ValueError(op)
    return root


def check(case):
    before = base64.b64decode(case["before"])
    after = base64.b64decode(case["after"])
    try:
        got = ast.dump(ast.parse(after))
    except (SyntaxError, ValueError) as err:
        return "does not parse: %s" % err
    if "edit" in case and got != ast.dump(expected(case, before)):
        return "parses to another tree than wanted"
    return ""


def main():
    sys.setrecursionlimit(10000)
    request = json.load(sys.stdin)
    if request["op"] == "trees":
        answer = [tree(base64.b64decode(s)) for s in request["sources"]]
    else:
        answer = [check(c) for c in request["cases"]]
    json.dump(answer, sys.stdout)


main()
