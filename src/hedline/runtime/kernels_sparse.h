/* The product after a ReLU, for rows that are mostly zeros. Included by kernels.c only.
 *
 * A trained feed-forward layer leaves one activation in twenty. Only these are multiplied: their weights lie together,
 * input by input, and four inputs at a time are woven into the order that VNNI wants. The sums are the same whole
 * numbers as those of the full product, so nothing else changes.
 */
#ifndef HEDLINE_SPARSE_H
#define HEDLINE_SPARSE_H
#include "kernels_bytes.h"

#define WOVEN 256       /* outputs that are added up at once: 16 vectors */
#define SPARSE_SHARE 4  /* the full product is quicker where more than a fourth of the activations is left */

/* Activations that are not zero, row by row. */
typedef struct {
    int32_t *offsets; /* (n + 1) */
    uint16_t *inputs; /* of all rows, each row filled up to a multiple of four */
    uint8_t *bytes;
} Kept;

/* Whether a layer's weights can be laid out for sparse rows. */
static int sparse_fits(const Layer *layer) {
    return layer->vnni && layer->m % WOVEN == 0 && layer->k % 64 == 0 && layer->k <= 65536;
}

/* Weights (k, m), each 64 outputs in the order that weaving puts right; NULL when memory is short. */
static int8_t *sparse_weights(const Layer *layer) {
    Py_ssize_t m = layer->m, k = layer->k;
    int8_t *woven = malloc((size_t)(m * k));
    for (Py_ssize_t panel = 0; woven && panel < m / PANEL; panel++)
        for (Py_ssize_t i = 0; i < k; i++) {
            const int8_t *from = layer->weights + panel * k * PANEL + i / 4 * 4 * PANEL + i % 4;
            int8_t *to = woven + i * m + panel * PANEL;
            for (Py_ssize_t o = 0; o < PANEL; o++) to[o / 4 % 4 * 16 + o / 16 * 4 + o % 4] = from[4 * o];
        }
    return woven;
}

static Py_ssize_t kept_size(Py_ssize_t n, Py_ssize_t k) { return (n + 1) * 4 + n * (k / SPARSE_SHARE + 4) * 3 + 64; }

static void kept_place(Kept *kept, void *memory, Py_ssize_t n, Py_ssize_t k) {
    kept->offsets = memory;
    kept->inputs = (uint16_t *)(kept->offsets + n + 1);
    kept->bytes = (uint8_t *)(kept->inputs + n * (k / SPARSE_SHARE + 4));
}

#if X86
/* Notes one row's activations (k) from `at` on; returns where the next row begins, -1 when they are too many. */
AVX512 static Py_ssize_t keep_row(const uint8_t *row, Py_ssize_t k, Py_ssize_t at, const Kept *kept) {
    Py_ssize_t end = at + k / SPARSE_SHARE;
    for (Py_ssize_t i = 0; i < k; i += 64) {
        __m512i bytes = _mm512_loadu_si512(row + i);
        uint64_t mask = _mm512_test_epi8_mask(bytes, bytes);
        if (at + __builtin_popcountll(mask) > end) return -1;
        for (; mask; mask &= mask - 1, at++) {
            Py_ssize_t place = i + __builtin_ctzll(mask);
            kept->inputs[at] = (uint16_t)place;
            kept->bytes[at] = row[place];
        }
    }
    for (; at % 4; at++) kept->inputs[at] = 0, kept->bytes[at] = 0;
    return at;
}

/* Notes all rows; 0 where the full product is the better one. */
static int keep_rows(const Quantized *q, Py_ssize_t n, Py_ssize_t k, const Kept *kept) {
    Py_ssize_t at = 0;
    kept->offsets[0] = 0;
    for (Py_ssize_t r = 0; r < n; r++) {
        at = keep_row(q->bytes + r * q->stride, k, at, kept);
        if (at < 0) return 0;
        kept->offsets[r + 1] = (int32_t)at;
    }
    return 1;
}

/* sums (4 vectors) += four inputs' weights for 64 outputs, times their activations. */
#define WEAVE(SUMS, A, B, C, D, X)                                                               \
    do {                                                                                         \
        __m512i low = _mm512_unpacklo_epi8(A, B), high = _mm512_unpackhi_epi8(A, B);             \
        __m512i low2 = _mm512_unpacklo_epi8(C, D), high2 = _mm512_unpackhi_epi8(C, D);           \
        SUMS[0] = _mm512_dpbusd_epi32(SUMS[0], X, _mm512_unpacklo_epi16(low, low2));             \
        SUMS[1] = _mm512_dpbusd_epi32(SUMS[1], X, _mm512_unpackhi_epi16(low, low2));             \
        SUMS[2] = _mm512_dpbusd_epi32(SUMS[2], X, _mm512_unpacklo_epi16(high, high2));           \
        SUMS[3] = _mm512_dpbusd_epi32(SUMS[3], X, _mm512_unpackhi_epi16(high, high2));           \
    } while (0)

/* One row, WOVEN outputs from `column` on. */
AVX512 static void sparse_row(const Product *t, const int8_t *woven, const Kept *kept, Py_ssize_t row, Py_ssize_t column) {
    Py_ssize_t m = t->layer->m;
    __m512i sums[4][4];
    UNROLL for (int p = 0; p < 4; p++)
        UNROLL for (int c = 0; c < 4; c++) sums[p][c] = _mm512_setzero_si512();
    const int8_t *base = woven + column;
    for (Py_ssize_t at = kept->offsets[row]; at < kept->offsets[row + 1]; at += 4) {
        const uint16_t *inputs = kept->inputs + at;
        const int8_t *a = base + inputs[0] * m, *b = base + inputs[1] * m, *c = base + inputs[2] * m, *d = base + inputs[3] * m;
        int32_t four;
        memcpy(&four, kept->bytes + at, 4);
        const __m512i x = _mm512_set1_epi32(four);
        UNROLL for (int p = 0; p < 4; p++) {
            __m512i wa = _mm512_loadu_si512(a + p * PANEL), wb = _mm512_loadu_si512(b + p * PANEL);
            __m512i wc = _mm512_loadu_si512(c + p * PANEL), wd = _mm512_loadu_si512(d + p * PANEL);
            WEAVE(sums[p], wa, wb, wc, wd, x);
        }
    }
    UNROLL for (int p = 0; p < 4; p++) finish_panel(t, sums[p], row, column + p * PANEL);
}

/* The whole product from rows that are mostly zeros; 0, with nothing done, where they are not. */
static int product_sparse(const Product *t, const int8_t *woven, const Kept *kept) {
    if (!keep_rows(&t->in, t->n, t->layer->k, kept)) return 0;
    for (Py_ssize_t column = 0; column < t->layer->m; column += WOVEN)
        for (Py_ssize_t row = 0; row < t->n; row++) sparse_row(t, woven, kept, row, column);
    return 1;
}
#else
static int product_sparse(const Product *t, const int8_t *woven, const Kept *kept) { return 0; }
#endif

#endif
