/* Whole transformer layers, encoder and decoder, and the scores of each input's candidates. Included by kernels.c only.
 *
 * Rows pass through a layer in chunks that stay in the second-level cache; threads take rows. Nothing in a row's
 * arithmetic depends on the rows beside it.
 */
#ifndef HEDLINE_NETWORK_H
#define HEDLINE_NETWORK_H
#include "kernels_attention.h"
#include "kernels_sparse.h"

/* Rows that pass through a layer together: few in the encoder, so that they stay in the second-level cache; a step's
 * usual number in the decoder, so that its weights are read once. */
#define ENCODER_ROWS 48
#define DECODER_ROWS 192

enum { PROJECT, OUTPUT, UP, DOWN, CROSS_QUERY, CROSS_OUTPUT, LAYERS };
enum { OWN_NORM, FEED_NORM, CROSS_NORM, NORMS };

/* One layer of an encoder (four products, two norms) or of a decoder (six and three). */
typedef struct {
    Layer layers[LAYERS];
    float *norms[NORMS]; /* weights (width), then biases (width) */
    int8_t *woven;       /* the weights of DOWN for sparse rows, or NULL */
    Py_ssize_t width, heads, inner;
    int decoder;
} Block;

/* What one thread needs for a chunk of rows. */
typedef struct {
    float *normed;  /* (widest): one row before it is quantised */
    float *wide;    /* (rows, 3 width or inner) */
    float *mixed;   /* (rows, width) */
    float *weights; /* attention weights */
    void *quantized, *kept;
} Scratch;

static Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

/* Scratch for chunks of `rows`; weights: floats wanted for attention. 0 when memory is short. */
static int scratch_fill(Scratch *s, const Block *b, Py_ssize_t rows, Py_ssize_t weights) {
    Py_ssize_t widest = larger(3 * b->width, b->inner);
    Py_ssize_t floats = widest + rows * widest + rows * b->width + weights;
    Py_ssize_t bytes = round_up(rows * ((larger(b->width, b->inner) + 128) * 2 + 8) + 256, 64);
    s->normed = borrow(OF_PART, floats * 4 + bytes + kept_size(rows, b->inner));
    if (!s->normed) return 0;
    s->wide = s->normed + widest;
    s->mixed = s->wide + rows * widest;
    s->weights = s->mixed + rows * b->width;
    s->quantized = s->weights + weights;
    s->kept = (char *)s->quantized + bytes;
    return 1;
}

/* A product of rows x (n, k), quantised into the scratch; norm: weights and biases, or NULL. n: at most the scratch's
 * rows. */
static Product quantize(const Layer *layer, const float *x, const float *norm, Py_ssize_t n, const Scratch *s) {
    Product p = {.layer = layer, .n = n};
    quantized_place(&p.in, layer, s->quantized, n);
    for (Py_ssize_t r = 0; r < n; r++) {
        const float *row = x + r * layer->k;
        if (norm) {
            layer_norm(row, norm, norm + layer->k, s->normed, layer->k);
            row = s->normed;
        }
        quantize_any(row, layer, &p.in, r);
    }
    return p;
}

/* out (n, m) = layer(norm(x (n, k))) (+ residual) */
static void pass(const Layer *layer, const float *x, const float *norm, Py_ssize_t n, const float *residual, float *out,
                 int relu, const Scratch *s) {
    Product p = quantize(layer, x, norm, n, s);
    p.residual = residual, p.out = out, p.relu = relu;
    product_range(&p, 0, n, 0, product_parts(layer));
}

/* x (n, width) += down(relu(up(norm(x)))) */
static void feed(const Block *b, float *x, Py_ssize_t n, const Scratch *s) {
    pass(&b->layers[UP], x, b->norms[FEED_NORM], n, NULL, s->wide, 1, s);
    Product p = quantize(&b->layers[DOWN], s->wide, NULL, n, s);
    p.residual = p.out = x;
    Kept kept;
    kept_place(&kept, s->kept, n, b->inner);
    if (!b->woven || !product_sparse(&p, b->woven, &kept)) product_range(&p, 0, n, 0, product_parts(p.layer));
}

/* ---------------------------------------------------------------- encoder */

typedef struct {
    const Block *block;
    float *x, *projected, *mixed; /* (tokens, width), (tokens, 3 width), (tokens, width) */
    const int64_t *start, *length;
    Py_ssize_t tokens, inputs, longest;
    int failed;
} Encode;

/* Rows of one part; every part but the last ends on a multiple of the tile, so that tiles stay full. */
static Py_ssize_t part_edge(Py_ssize_t rows, int part, int parts) {
    return part == parts ? rows : rows * part / parts / TILE * TILE;
}

/* One part of the tokens, ENCODER_ROWS at a time. */
static void encode_rows(Encode *t, int part, int parts, void (*step)(Encode *, Py_ssize_t, Py_ssize_t, Scratch *)) {
    Scratch s;
    if (!scratch_fill(&s, t->block, ENCODER_ROWS, 0)) {
        t->failed = 1;
        return;
    }
    Py_ssize_t last = part_edge(t->tokens, part + 1, parts);
    for (Py_ssize_t row = part_edge(t->tokens, part, parts), n; row < last; row += n) {
        n = last - row < ENCODER_ROWS ? last - row : ENCODER_ROWS;
        step(t, row, n, &s);
    }
    give_back(OF_PART);
}

static void project_rows(Encode *t, Py_ssize_t row, Py_ssize_t n, Scratch *s) {
    const Block *b = t->block;
    pass(&b->layers[PROJECT], t->x + row * b->width, b->norms[OWN_NORM], n, NULL, t->projected + row * 3 * b->width, 0,
         s);
}

static void encode_project(void *task, int part, int parts) { encode_rows(task, part, parts, project_rows); }

static void encode_attend(void *task, int part, int parts) {
    Encode *t = task;
    const Block *b = t->block;
    Py_ssize_t width = b->width, depth = width / b->heads;
    float *packed = borrow(OF_PART, (packed_size(t->longest, depth) + QUERIES * PADDED(t->longest)) * 4);
    if (!packed) {
        t->failed = 1;
        return;
    }
    for (Py_ssize_t input = t->inputs * part / parts; input < t->inputs * (part + 1) / parts; input++) {
        Py_ssize_t length = t->length[input], padded = PADDED(length);
        Span span = {.keys = packed, .values = packed + depth * padded, .weights = packed + packed_size(length, depth),
                     .q_stride = 3 * width, .out_stride = width, .length = length, .padded = padded, .depth = depth};
        for (Py_ssize_t column = 0; column < width; column += depth) {
            span.q = t->projected + t->start[input] * 3 * width + column;
            span.out = t->mixed + t->start[input] * width + column;
            pack_head(span.q + width, span.q + 2 * width, 3 * width, length, depth, packed);
            attend_span(&span, length);
        }
    }
    give_back(OF_PART);
}

static void finish_rows(Encode *t, Py_ssize_t row, Py_ssize_t n, Scratch *s) {
    const Block *b = t->block;
    float *x = t->x + row * b->width;
    pass(&b->layers[OUTPUT], t->mixed + row * b->width, NULL, n, x, x, 0, s);
    feed(b, x, n, s);
}

static void encode_finish(void *task, int part, int parts) { encode_rows(task, part, parts, finish_rows); }

/* What the decoder looks at: keys and values (tokens, 2 width) of the encoded inputs, packed head by head. */
typedef struct {
    const Layer *layer;
    const float *x;                     /* (tokens, width) */
    const int64_t *start, *length, *at; /* (inputs): tokens of an input, and where its heads begin, in tokens */
    float *memory;
    Py_ssize_t inputs, heads, longest;
    int failed;
} Remember;

static void remember_part(void *task, int part, int parts) {
    Remember *t = task;
    const Layer *layer = t->layer;
    Py_ssize_t width = layer->k, depth = width / t->heads, floats = t->longest * layer->m;
    float *table = borrow(OF_PART, floats * 4 + quantized_size(layer, t->longest));
    if (!table) {
        t->failed = 1;
        return;
    }
    for (Py_ssize_t input = t->inputs * part / parts; input < t->inputs * (part + 1) / parts; input++) {
        Py_ssize_t length = t->length[input];
        Product p = {.layer = layer, .out = table, .n = length};
        quantized_place(&p.in, layer, table + floats, length);
        for (Py_ssize_t r = 0; r < length; r++) quantize_any(t->x + (t->start[input] + r) * width, layer, &p.in, r);
        product_range(&p, 0, length, 0, product_parts(layer));
        float *packed = t->memory + t->at[input] * layer->m;
        for (Py_ssize_t column = 0; column < width; column += depth, packed += packed_size(length, depth))
            pack_head(table + column, table + width + column, layer->m, length, depth, packed);
    }
    give_back(OF_PART);
}

/* ---------------------------------------------------------------- decoder */

typedef struct {
    const Block *block;
    float *y;                           /* (rows, width) */
    float *pool;                        /* (used + rows, stride): keys and values, then nothing */
    const int32_t *history;             /* (rows, t): pieces in the pool, the new one last */
    const float *memory;                /* packed heads of every input */
    const int64_t *length, *at;         /* (inputs): tokens of an input, and where its heads begin, in tokens */
    const int64_t *owners;              /* (rows) ascending within runs: the input of each row */
    float *mean;                        /* (rows, mean_stride) or NULL */
    Py_ssize_t rows, used, t, stride, mean_stride, longest;
    int failed;
} Decode;

/* Rows first … last: queries (n, width) over the inputs, into s->mixed. */
static void decode_cross(const Decode *t, Py_ssize_t first, Py_ssize_t last, const float *queries, const Scratch *s) {
    const Block *b = t->block;
    Py_ssize_t width = b->width, depth = width / b->heads;
    for (Py_ssize_t row = first, next; row < last; row = next) {
        int64_t input = t->owners[row];
        for (next = row + 1; next < last && t->owners[next] == input;) next++;
        Py_ssize_t length = t->length[input], padded = PADDED(length);
        Span span = {.keys = t->memory + t->at[input] * 2 * width, .mean = t->mean ? t->mean + row * t->mean_stride : NULL,
                     .weights = s->weights, .q_stride = width, .out_stride = width, .mean_stride = t->mean_stride,
                     .length = length, .padded = padded, .depth = depth, .share = 1.0f / (float)b->heads};
        for (Py_ssize_t column = 0; column < width; column += depth, span.keys += packed_size(length, depth)) {
            span.values = span.keys + depth * padded;
            span.q = queries + (row - first) * width + column;
            span.out = s->mixed + (row - first) * width + column;
            attend_span(&span, next - row);
        }
    }
}

static void decode_chunk(const Decode *t, Py_ssize_t first, Py_ssize_t n, const Scratch *s) {
    const Block *b = t->block;
    Py_ssize_t width = b->width;
    float *y = t->y + first * width;
    pass(&b->layers[PROJECT], y, b->norms[OWN_NORM], n, NULL, s->wide, 0, s);
    Pool pool = {t->pool, t->pool + width, t->stride, b->heads, width / b->heads};
    for (Py_ssize_t r = 0; r < n; r++) {
        memcpy(t->pool + (t->used + first + r) * t->stride, s->wide + (r * 3 + 1) * width, (size_t)width * 8);
        attend_pool(&pool, s->wide + r * 3 * width, t->history + (first + r) * t->t, t->t, s->weights,
                    s->mixed + r * width, NULL);
    }
    pass(&b->layers[OUTPUT], s->mixed, NULL, n, y, y, 0, s);
    pass(&b->layers[CROSS_QUERY], y, b->norms[CROSS_NORM], n, NULL, s->wide, 0, s);
    decode_cross(t, first, first + n, s->wide, s);
    pass(&b->layers[CROSS_OUTPUT], s->mixed, NULL, n, y, y, 0, s);
    feed(b, y, n, s);
}

static void decode_part(void *task, int part, int parts) {
    Decode *t = task;
    Scratch s;
    Py_ssize_t row = t->rows * part / parts, last = t->rows * (part + 1) / parts, n;
    Py_ssize_t most = last - row < DECODER_ROWS ? last - row : DECODER_ROWS;
    Py_ssize_t weights = larger(QUERIES * PADDED(t->longest), PADDED(t->t));
    if (!scratch_fill(&s, t->block, most, weights)) {
        t->failed = 1;
        return;
    }
    for (; row < last; row += n) {
        n = last - row < most ? last - row : most;
        decode_chunk(t, row, n, &s);
    }
    give_back(OF_PART);
}

/* ----------------------------------------------------------------- output */

/* The candidates of a batch. Columns of an input are its candidates in ascending order: those of the shared layer
 * stand at `places`, the others, an extra layer of the input's own, at `others`. */
typedef struct {
    const Layer *shared; /* NULL: none */
    Layer *extra;        /* (inputs) */
    int32_t **places, **others;
    Py_ssize_t inputs, k, *counts;
} Candidates;

typedef struct {
    const Candidates *candidates;
    const float *hidden; /* (rows, k) */
    const int64_t *owners;
    float *out; /* (rows, stride) */
    Py_ssize_t rows, stride;
    int failed;
} Score;

/* Logits of one group of rows into their columns. */
static void scatter(const float *from, Py_ssize_t m, const int32_t *places, float *out, Py_ssize_t stride, Py_ssize_t n) {
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t j = 0; j < m; j++) out[r * stride + places[j]] = from[r * m + j];
}

static void score_layer(const Layer *layer, const Quantized *q, Py_ssize_t first, Py_ssize_t n, float *out) {
    Product p = {.layer = layer, .in = *q, .out = out, .n = n};
    p.in.step += first;
    p.in.zero += first;
    p.in.bytes += first * q->stride;
    p.in.shorts += first * q->stride;
    product_range(&p, 0, n, 0, product_parts(layer));
}

/* Rows first … first + n. logits: scratch, (n, most). */
static void score_chunk(const Score *t, Py_ssize_t first, Py_ssize_t n, float *logits, void *quantized) {
    const Candidates *c = t->candidates;
    const Layer *any = c->shared ? c->shared : &c->extra[t->owners[first]];
    Quantized q;
    quantized_place(&q, any, quantized, n);
    for (Py_ssize_t r = 0; r < n; r++) quantize_any(t->hidden + (first + r) * c->k, any, &q, r);
    if (c->shared) {
        score_layer(c->shared, &q, 0, n, logits);
        for (Py_ssize_t r = 0; r < n; r++)
            scatter(logits + r * c->shared->m, c->shared->m, c->places[t->owners[first + r]],
                    t->out + (first + r) * t->stride, t->stride, 1);
    }
    for (Py_ssize_t r = 0, next; r < n; r = next) {
        int64_t owner = t->owners[first + r];
        for (next = r + 1; next < n && t->owners[first + next] == owner;) next++;
        float *out = t->out + (first + r) * t->stride;
        if (c->extra[owner].m) {
            score_layer(&c->extra[owner], &q, r, next - r, logits);
            scatter(logits, c->extra[owner].m, c->others[owner], out, t->stride, next - r);
        }
        for (; r < next; r++, out += t->stride) {
            for (Py_ssize_t j = c->counts[owner]; j < t->stride; j++) out[j] = -INFINITY;
            log_softmax(out, c->counts[owner]);
        }
    }
}

static void score_part(void *task, int part, int parts) {
    Score *t = task;
    const Candidates *c = t->candidates;
    Py_ssize_t most = c->shared ? c->shared->m : 1;
    for (Py_ssize_t i = 0; i < c->inputs; i++) most = larger(most, c->extra[i].m);
    Py_ssize_t row = t->rows * part / parts, last = t->rows * (part + 1) / parts, n;
    Py_ssize_t rows = last - row < DECODER_ROWS ? last - row : DECODER_ROWS;
    float *logits = borrow(OF_PART, rows * (most * 4 + (c->k + 128) * 2 + 8) + 256);
    if (!logits) {
        t->failed = 1;
        return;
    }
    for (; row < last; row += n) {
        n = last - row < rows ? last - row : rows;
        score_chunk(t, row, n, logits, logits + rows * most);
    }
    give_back(OF_PART);
}

#endif
