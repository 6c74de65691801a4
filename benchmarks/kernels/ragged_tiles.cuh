// Cutting ragged rows into equal tiles: no row too long, no number of empty rows too large.
//
// Idea. Rows and elements are merged into one list: the elements in order, and after the last element of each row a mark.
// The list has rows + elements items and is cut every TILE items, so a tile has at most TILE elements and TILE row ends.
//
//     rows   [a b] [] [c d e]        list   a b | | c d e |         offsets  0 2 2 5
//     tiles of three items:          a b |  . | c d  . e |          corners (0,0) (1,2) (2,4)
//
// The list is never built. The mark of row i has i marks and offsets[i+1] elements before it, so it is item
// offsets[i+1] + i: an increasing sequence, and the corner at item d is found by a search for d. One warp does it with 32
// probes at a time: six dependent loads for 2^26 rows, once per tile and not once per thread.
//
// A mark that would begin a tile is moved to the tile before, next to its row's last element. Then a row that ends in a tile has
// an element there, or is empty, and a row sum never has to be stored by a tile that has nothing to add to it.
//
// Traffic: a few cached words per tile. Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication",
// describe the cut; the search on marks alone and the moved mark are ours.
//
// Declines: rows + elements is below 2^31 where Index is int.
#pragma once
#include "device_words.cuh"

/// Rows before `row` have ended; elements before `element` are consumed.
template <class Index>
struct Corner {
    Index row, element;
};

/// The corner at item `d`, in every lane; called by one whole warp.
template <class Index>
__device__ inline Corner<Index> find_corner(const Index* offsets, Index rows, Index elements, Index d) {
    const Index lane = lane_index();
    Index lo = d > elements ? d - elements : 0, hi = d < rows ? d : rows;
    while (lo < hi) {
        const Index step = (hi - lo + 31) / 32, probe = lo + lane * step;
        const bool beyond = probe < hi && offsets[probe + 1] + probe >= d;
        const unsigned votes = __ballot_sync(WHOLE_WARP, beyond);
        if (votes != 0) {
            const Index first = __ffs(int(votes)) - 1;
            hi = lo + first * step;
            if (first > 0) lo = hi - step + 1;
        } else {
            lo += (hi - lo - 1) / step * step + 1;
        }
    }
    Corner<Index> corner = {lo, d - lo};
    if (lo < rows && offsets[lo] < corner.element && offsets[lo + 1] == corner.element) corner.row++;
    return corner;
}

/// First and last corner of a tile, found by two warps at once (by one, where a block has one). Ends with a barrier.
template <class Index>
__device__ inline void find_tile(const Index* offsets, Index rows, Index elements, Index tile, Index tile_items,
                                 Corner<Index>* corners, int warps) {
    const Index items = rows + elements, from = tile * tile_items;
    const Index to = items - from < tile_items ? items : from + tile_items;
    for (int end = warp_index(); end < 2; end += warps) {
        const Corner<Index> corner = find_corner(offsets, rows, elements, end == 0 ? from : to);
        if (lane_index() == 0) corners[end] = corner;
    }
    __syncthreads();
}
