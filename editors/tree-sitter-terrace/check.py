"""Parses programs with the generated parser, and says which trees have errors in them.

    python3 check.py LIBRARY QUERY < paths

LIBRARY is the compiled parser, QUERY the highlights; the paths stand one on a line. Ends with `N trees, M with errors, K pieces coloured`.
"""

import ctypes
import sys

from tree_sitter import Language, Parser, Query


def first_error(node):
    """The first node that is an error, or that the parser made up."""
    if node.is_error or node.is_missing:
        return node
    return next((found for child in node.children if child.has_error and (found := first_error(child))), None)


def coloured(query, node):
    """How many pieces a query finds."""
    try:
        from tree_sitter import QueryCursor

        return sum(len(nodes) for nodes in QueryCursor(query).captures(node).values())
    except ImportError:
        return sum(len(nodes) for nodes in query.captures(node).values())


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.tree_sitter_terrace.restype = ctypes.c_void_p
    pointer = ctypes.pythonapi.PyCapsule_New
    pointer.restype, pointer.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    language = Language(pointer(library.tree_sitter_terrace(), b"tree_sitter.Language", None))
    parser = Parser(language)
    query = Query(language, open(sys.argv[2], encoding="utf-8").read())
    trees, wrong, pieces = 0, 0, 0
    for path in sys.stdin.read().split("\n"):
        if not path:
            continue
        text = open(path, "rb").read()
        root = parser.parse(text).root_node
        trees += 1
        pieces += coloured(query, root)
        if root.has_error:
            wrong += 1
            node = first_error(root) or root
            line = node.start_point[0]
            print(f"{path}:{line + 1}:{node.start_point[1] + 1}: {text.splitlines()[line].decode().strip()}")
    print(f"{trees} trees, {wrong} with errors, {pieces} pieces coloured")
    sys.exit(1 if wrong else 0)


main()
