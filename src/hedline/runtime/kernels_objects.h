/* Layers, blocks and candidates as Python objects (capsules), and the calls that use them. Included by kernels.c only. */
#ifndef HEDLINE_OBJECTS_H
#define HEDLINE_OBJECTS_H
#include "kernels_buffers.h"
#include "kernels_network.h"

#define LAYER "hedline.layer"
#define BLOCK_NAME "hedline.block"
#define CANDIDATES "hedline.candidates"
#define WIDEST ((Py_ssize_t)1 << 16) /* inputs of a layer: with more a 32-bit sum could overflow */

/* ----------------------------------------------------------------- layers */

static void layer_destroy(PyObject *capsule) {
    Layer *layer = PyCapsule_GetPointer(capsule, LAYER);
    if (layer) free(layer->memory);
    free(layer);
}

/* layer(weight int8 (m, k), scale (m), bias (m)|None, m, k) */
static PyObject *py_layer(PyObject *self, PyObject *args) {
    PyObject *w_, *scale_, *bias_;
    Py_ssize_t m, k;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOnn", &w_, &scale_, &bias_, &m, &k)) return NULL;
    const int8_t *w = take(&buffers, w_, area(m, k), 1, 0, 0);
    const float *scale = take(&buffers, scale_, m, 4, 0, 0), *bias = take(&buffers, bias_, m, 4, 0, 1);
    if (!FAILED && k > WIDEST) PyErr_SetString(PyExc_ValueError, "a layer with too many inputs");
    Layer *layer = FAILED ? NULL : malloc(sizeof(Layer));
    PyObject *capsule = NULL;
    if (layer && layer_fill(layer, w, scale, bias, NULL, m, k)) {
        capsule = PyCapsule_New(layer, LAYER, layer_destroy);
    } else {
        free(layer);
        if (!FAILED) PyErr_NoMemory();
    }
    Py_XDECREF(finish_call(&buffers));
    return capsule;
}

typedef struct {
    Product product;
    const float *x;
} ApplyTask;

static void apply_quantize(void *task, int part, int parts) {
    const ApplyTask *t = task;
    const Product *p = &t->product;
    for (Py_ssize_t r = p->n * part / parts; r < p->n * (part + 1) / parts; r++)
        quantize_any(t->x + r * p->layer->k, p->layer, &p->in, r);
}

static void apply_part(void *task, int part, int parts) {
    const Product *p = &((const ApplyTask *)task)->product;
    Py_ssize_t panels = product_parts(p->layer);
    product_range(p, 0, p->n, panels * part / parts, panels * (part + 1) / parts);
}

/* apply(layer, x (n, k), residual (n, m)|None, out (n, m), n, relu) */
static PyObject *py_apply(PyObject *self, PyObject *args) {
    PyObject *layer_, *x_, *residual_, *out_;
    Py_ssize_t n;
    int relu;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOnp", &layer_, &x_, &residual_, &out_, &n, &relu)) return NULL;
    const Layer *layer = take_object(layer_, LAYER, 0);
    if (!layer) return NULL;
    ApplyTask t = {.product = {.layer = layer, .n = n, .relu = relu}};
    t.x = take(&buffers, x_, area(n, layer->k), 4, 0, 0);
    t.product.residual = take(&buffers, residual_, area(n, layer->m), 4, 0, 1);
    t.product.out = take(&buffers, out_, area(n, layer->m), 4, 1, 0);
    void *memory = FAILED ? NULL : borrow(OF_CALL, quantized_size(layer, n));
    if (memory) {
        Py_BEGIN_ALLOW_THREADS
        quantized_place(&t.product.in, layer, memory, n);
        double work = (double)n * (double)layer->m * (double)layer->k;
        run_parallel(apply_quantize, &t, work / 64.0, MAX_THREADS);
        run_parallel(apply_part, &t, work, MAX_THREADS);
        give_back(OF_CALL);
        Py_END_ALLOW_THREADS
    } else if (!FAILED)
        PyErr_NoMemory();
    return finish_call(&buffers);
}

/* ----------------------------------------------------------------- blocks */

static void block_destroy(PyObject *capsule) {
    Block *b = PyCapsule_GetPointer(capsule, BLOCK_NAME);
    free(b->norms[0]);
    free(b->woven);
    free(b);
    PyObject *layers = PyCapsule_GetContext(capsule);
    Py_XDECREF(layers);
}

/* Whether the layers' sizes fit together. */
static int block_fits(const Block *b, Py_ssize_t norm) {
    const Layer *l = b->layers;
    Py_ssize_t w = b->width;
    int fits = b->heads > 0 && w % b->heads == 0 && norm == 2 * w && l[PROJECT].k == w && l[PROJECT].m == 3 * w &&
               l[OUTPUT].k == w && l[OUTPUT].m == w && l[UP].k == w && l[DOWN].k == l[UP].m && l[DOWN].m == w;
    for (int i = CROSS_QUERY; b->decoder && i < LAYERS; i++) fits = fits && l[i].k == w && l[i].m == w;
    return fits;
}

/* block(layers tuple of 4 or 6, norms f32 (2 or 3, 2, width), width, heads): project, output, up, down, then the
 * query and the output of the attention to the input; norms before attention, feed-forward, attention to the input */
static PyObject *py_block(PyObject *self, PyObject *args) {
    PyObject *layers, *norms_;
    Py_ssize_t width, heads;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "O!Onn", &PyTuple_Type, &layers, &norms_, &width, &heads)) return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(layers), norms = count / 2;
    if (count != 4 && count != LAYERS) return PyErr_Format(PyExc_ValueError, "a block has 4 or %d layers", LAYERS);
    const float *norm = take(&buffers, norms_, area(norms, area(2, width)), 4, 0, 0);
    Block *b = FAILED ? NULL : calloc(1, sizeof(Block));
    float *copy = b ? malloc((size_t)(norms * 2 * width) * sizeof(float)) : NULL;
    if (!copy && !FAILED) PyErr_NoMemory();
    for (Py_ssize_t i = 0; !FAILED && i < count; i++) {
        const Layer *layer = take_object(PyTuple_GET_ITEM(layers, i), LAYER, 0);
        if (layer) b->layers[i] = *layer;
    }
    PyObject *capsule = NULL;
    if (!FAILED) {
        memcpy(copy, norm, (size_t)(norms * 2 * width) * sizeof(float));
        for (Py_ssize_t i = 0; i < norms; i++) b->norms[i] = copy + i * 2 * width;
        b->width = width, b->heads = heads, b->inner = b->layers[UP].m, b->decoder = count == LAYERS;
        if (!block_fits(b, 2 * width)) PyErr_SetString(PyExc_ValueError, "the layers of a block do not fit together");
        else if (sparse_fits(&b->layers[DOWN]) && !(b->woven = sparse_weights(&b->layers[DOWN]))) PyErr_NoMemory();
        else capsule = PyCapsule_New(b, BLOCK_NAME, block_destroy);
    }
    if (capsule) {
        Py_INCREF(layers); /* the block reads their weights */
        PyCapsule_SetContext(capsule, layers);
    } else {
        free(copy);
        if (b) free(b->woven);
        free(b);
    }
    Py_XDECREF(finish_call(&buffers));
    return capsule;
}

/* The longest of some lengths, each at least 1 and inside a table of `tokens`; 0 with an error set otherwise. */
static Py_ssize_t longest_span(const int64_t *start, const int64_t *length, Py_ssize_t count, Py_ssize_t tokens) {
    Py_ssize_t longest = 0;
    for (Py_ssize_t i = 0; !FAILED && i < count; i++) {
        if (length[i] < 1 || start[i] < 0 || length[i] > tokens || start[i] > tokens - length[i])
            PyErr_SetString(PyExc_IndexError, "attention outside its table");
        else if (length[i] > longest)
            longest = (Py_ssize_t)length[i];
    }
    return FAILED ? 0 : longest;
}

/* encode(block, x (tokens, width) changed in place, start int64 (inputs), length int64 (inputs), tokens, inputs) */
static PyObject *py_encode(PyObject *self, PyObject *args) {
    PyObject *block_, *x_, *start_, *length_;
    Encode t = {0};
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOnn", &block_, &x_, &start_, &length_, &t.tokens, &t.inputs)) return NULL;
    const Block *b = t.block = take_object(block_, BLOCK_NAME, 0);
    if (!b) return NULL;
    t.x = take(&buffers, x_, area(t.tokens, b->width), 4, 1, 0);
    t.start = take(&buffers, start_, t.inputs, 8, 0, 0);
    t.length = take(&buffers, length_, t.inputs, 8, 0, 0);
    if (!FAILED) t.longest = longest_span(t.start, t.length, t.inputs, t.tokens);
    for (Py_ssize_t i = 0; !FAILED && i < t.inputs; i++)
        if (t.start[i] != (i ? t.start[i - 1] + t.length[i - 1] : 0) ||
            (i + 1 == t.inputs && t.start[i] + t.length[i] != t.tokens))
            PyErr_SetString(PyExc_ValueError, "inputs are not laid end to end");
    Py_ssize_t floats = area(t.tokens, 4 * b->width);
    if (!FAILED) t.projected = borrow(OF_CALL, floats * 4);
    if (t.projected) {
        Py_BEGIN_ALLOW_THREADS
        t.mixed = t.projected + t.tokens * 3 * b->width;
        double work = (double)t.tokens * (double)b->width * (double)b->width;
        run_parallel(encode_project, &t, work, MAX_THREADS);
        run_parallel(encode_attend, &t, work, MAX_THREADS);
        run_parallel(encode_finish, &t, work, MAX_THREADS);
        give_back(OF_CALL);
        Py_END_ALLOW_THREADS
    }
    if (!FAILED && (t.failed || !t.projected)) PyErr_NoMemory();
    return finish_call(&buffers);
}

/* remember(layer of keys and values, x (tokens, width), memory (room, 2 width), start, length, at int64 (inputs), tokens,
 *          room, inputs, heads): every input's keys and values packed head by head for decode(); at: where they begin */
static PyObject *py_remember(PyObject *self, PyObject *args) {
    PyObject *layer_, *x_, *memory_, *start_, *length_, *at_;
    Py_ssize_t tokens, room;
    Remember t = {0};
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOnnnn", &layer_, &x_, &memory_, &start_, &length_, &at_, &tokens, &room, &t.inputs,
                          &t.heads))
        return NULL;
    const Layer *layer = t.layer = take_object(layer_, LAYER, 0);
    if (!layer) return NULL;
    if (t.heads < 1 || layer->k % t.heads || layer->m != 2 * layer->k)
        return PyErr_Format(PyExc_ValueError, "%zd heads of %zd columns", t.heads, layer->k);
    t.x = take(&buffers, x_, area(tokens, layer->k), 4, 0, 0);
    t.memory = take(&buffers, memory_, area(room, layer->m), 4, 1, 0);
    t.start = take(&buffers, start_, t.inputs, 8, 0, 0);
    t.length = take(&buffers, length_, t.inputs, 8, 0, 0);
    t.at = take(&buffers, at_, t.inputs, 8, 0, 0);
    if (!FAILED) t.longest = longest_span(t.start, t.length, t.inputs, tokens);
    for (Py_ssize_t i = 0; !FAILED && i < t.inputs; i++)
        if (t.at[i] < 0 || t.at[i] > room - PADDED(t.length[i])) PyErr_SetString(PyExc_IndexError, "keys outside their table");
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        run_parallel(remember_part, &t, (double)tokens * (double)layer->k * (double)layer->m, MAX_THREADS);
        Py_END_ALLOW_THREADS
        if (t.failed) PyErr_NoMemory();
    }
    return finish_call(&buffers);
}

/* Every piece a row looks at must be in the pool, every row's input among the inputs. */
static void check_decode(const Decode *t, Py_ssize_t inputs, Py_ssize_t room) {
    Py_ssize_t longest = longest_span(t->at, t->length, inputs, room);
    for (Py_ssize_t i = 0; !FAILED && i < inputs; i++)
        if (t->at[i] < 0 || t->at[i] > room - PADDED(t->length[i]))
            PyErr_SetString(PyExc_IndexError, "keys outside their table");
    if (!FAILED && t->mean && longest > t->mean_stride) PyErr_SetString(PyExc_IndexError, "attention too long");
    for (Py_ssize_t r = 0; !FAILED && r < t->rows; r++) {
        int outside = t->owners[r] < 0 || t->owners[r] >= inputs;
        const int32_t *history = t->history + r * t->t;
        for (Py_ssize_t j = 0; j + 1 < t->t; j++) outside |= history[j] < 0 || history[j] >= t->used;
        if (outside || history[t->t - 1] != t->used + r)
            PyErr_SetString(PyExc_IndexError, "a hypothesis outside its table");
    }
}

/* decode(block, y (rows, width) changed in place, pool (capacity, stride), history int32 (rows, t), memory (room, 2 width),
 *        length, at int64 (inputs), owners int64 (rows), mean (rows, mean_stride)|None, rows, t, used, capacity, stride,
 *        room, inputs, mean_stride) */
static PyObject *py_decode(PyObject *self, PyObject *args) {
    PyObject *block_, *y_, *pool_, *history_, *memory_, *length_, *at_, *owners_, *mean_;
    Py_ssize_t capacity, room, inputs;
    Decode t = {0};
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnnnnnnnn", &block_, &y_, &pool_, &history_, &memory_, &length_, &at_, &owners_,
                          &mean_, &t.rows, &t.t, &t.used, &capacity, &t.stride, &room, &inputs, &t.mean_stride))
        return NULL;
    const Block *b = t.block = take_object(block_, BLOCK_NAME, 0);
    if (!b) return NULL;
    if (!b->decoder) PyErr_SetString(PyExc_ValueError, "an encoder's block cannot decode");
    t.y = take(&buffers, y_, area(t.rows, b->width), 4, 1, 0);
    t.pool = take(&buffers, pool_, area(capacity, t.stride), 4, 1, 0);
    t.history = take(&buffers, history_, area(t.rows, t.t), 4, 0, 0);
    t.memory = take(&buffers, memory_, area(room, 2 * b->width), 4, 0, 0);
    t.length = take(&buffers, length_, inputs, 8, 0, 0);
    t.at = take(&buffers, at_, inputs, 8, 0, 0);
    t.owners = take(&buffers, owners_, t.rows, 8, 0, 0);
    if (mean_ != Py_None) t.mean = take(&buffers, mean_, area(t.rows, t.mean_stride), 4, 1, 0);
    if (!FAILED && (t.used < 0 || t.rows > capacity || t.used > capacity - t.rows || t.stride < 2 * b->width))
        PyErr_SetString(PyExc_IndexError, "the pool is full");
    if (!FAILED) check_decode(&t, inputs, room);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < inputs; i++) t.longest = larger(t.longest, (Py_ssize_t)t.length[i]);
        run_parallel(decode_part, &t, (double)t.rows * (double)b->width * (double)b->width, (int)(t.rows < MAX_THREADS ? t.rows : MAX_THREADS));
        Py_END_ALLOW_THREADS
        if (t.failed) PyErr_NoMemory();
    }
    return finish_call(&buffers);
}

/* ------------------------------------------------------------- candidates */

static void candidates_free(Candidates *c) {
    for (Py_ssize_t i = 0; c && i < c->inputs; i++) {
        free(c->extra[i].memory);
        free(c->places[i]);
        free(c->others[i]);
    }
    if (c) {
        free(c->extra);
        free(c->places);
        free(c->others);
        free(c->counts);
    }
    free(c);
}

static void candidates_destroy(PyObject *capsule) {
    candidates_free(PyCapsule_GetPointer(capsule, CANDIDATES));
    PyObject *shared = PyCapsule_GetContext(capsule);
    Py_XDECREF(shared);
}

/* One input's candidates (count, ascending) among the shared ids (shared_count, ascending) and the rest; 0 where
 * memory is short, -1 where a shared id is missing. */
static int candidates_split(Candidates *c, Py_ssize_t input, const int32_t *ids, Py_ssize_t count,
                            const int32_t *shared, Py_ssize_t shared_count, int32_t *rest) {
    int32_t *places = c->places[input] = malloc((size_t)(shared_count + 1) * 4);
    int32_t *others = c->others[input] = malloc((size_t)(count + 1) * 4);
    if (!places || !others) return 0;
    Py_ssize_t found = 0, left = 0;
    for (Py_ssize_t j = 0; j < count; j++) {
        if (found < shared_count && ids[j] == shared[found]) places[found++] = (int32_t)j;
        else {
            rest[left] = ids[j];
            others[left++] = (int32_t)j;
        }
    }
    c->counts[input] = count;
    c->extra[input].m = left;
    return found == shared_count ? 1 : -1;
}

/* candidates(weight int8 (rows, k), scale (rows), bias (rows), rows, k, shared layer|None, shared_ids int32|None,
 *            shared_count, ids int32 (total), offsets int64 (inputs + 1), inputs, total) */
static PyObject *py_candidates(PyObject *self, PyObject *args) {
    PyObject *w_, *scale_, *bias_, *shared_, *shared_ids_, *ids_, *offsets_, *capsule = NULL;
    Py_ssize_t rows, k, shared_count, inputs, total;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOnnOOnOOnn", &w_, &scale_, &bias_, &rows, &k, &shared_, &shared_ids_, &shared_count,
                          &ids_, &offsets_, &inputs, &total))
        return NULL;
    const int8_t *w = take(&buffers, w_, area(rows, k), 1, 0, 0);
    const float *scale = take(&buffers, scale_, rows, 4, 0, 0), *bias = take(&buffers, bias_, rows, 4, 0, 0);
    const Layer *shared = take_object(shared_, LAYER, 1);
    const int32_t *shared_ids = shared ? take(&buffers, shared_ids_, shared_count, 4, 0, 0) : NULL;
    const int32_t *ids = take(&buffers, ids_, total, 4, 0, 0);
    const int64_t *offsets = inputs < LARGEST ? take(&buffers, offsets_, inputs + 1, 8, 0, 0) : NULL;
    if (!FAILED && (!offsets || k > WIDEST || (shared && (shared->k != k || shared->m != shared_count))))
        PyErr_SetString(PyExc_ValueError, "the shared layer does not fit");
    for (Py_ssize_t i = 0; !FAILED && i < inputs; i++)
        if (offsets[0] || offsets[i] < 0 || offsets[i] >= offsets[i + 1] || offsets[i + 1] > total)
            PyErr_SetString(PyExc_IndexError, "candidates outside their list");
    for (Py_ssize_t j = 0; !FAILED && j < total; j++)
        if (ids[j] < 0 || ids[j] >= rows) PyErr_SetString(PyExc_IndexError, "candidate outside the table");
    Candidates *c = FAILED ? NULL : calloc(1, sizeof(Candidates));
    int32_t *rest = c ? malloc((size_t)total * 4) : NULL;
    int fine = rest != NULL;
    if (fine) {
        c->extra = calloc((size_t)inputs, sizeof(Layer));
        c->places = calloc((size_t)inputs, sizeof(int32_t *));
        c->others = calloc((size_t)inputs, sizeof(int32_t *));
        c->counts = calloc((size_t)inputs, sizeof(Py_ssize_t));
        fine = c->extra && c->places && c->others && c->counts;
        c->inputs = fine ? inputs : 0, c->k = k, c->shared = shared;
    }
    for (Py_ssize_t i = 0; fine == 1 && i < inputs; i++) {
        fine = candidates_split(c, i, ids + offsets[i], offsets[i + 1] - offsets[i], shared_ids, shared ? shared_count : 0, rest);
        if (fine == 1) fine = layer_fill(&c->extra[i], w, scale, bias, rest, c->extra[i].m, k);
    }
    free(rest);
    if (fine == 1) capsule = PyCapsule_New(c, CANDIDATES, candidates_destroy);
    else if (!FAILED && fine < 0) PyErr_SetString(PyExc_ValueError, "an input lacks shared candidates");
    else if (!FAILED) PyErr_NoMemory();
    if (capsule && shared) {
        Py_INCREF(shared_);
        PyCapsule_SetContext(capsule, shared_);
    }
    if (!capsule) candidates_free(c);
    Py_XDECREF(finish_call(&buffers));
    return capsule;
}

/* Every row's candidates must be among the inputs' and fit the table. */
static void check_scored(const Score *t) {
    const Candidates *c = t->candidates;
    for (Py_ssize_t r = 0; !FAILED && r < t->rows; r++)
        if (t->owners[r] < 0 || t->owners[r] >= c->inputs || c->counts[t->owners[r]] > t->stride)
            PyErr_SetString(PyExc_IndexError, "candidates outside their table");
}

/* score(candidates, hidden (rows, k), owners int64 (rows), out (rows, stride), rows, stride): log-probabilities */
static PyObject *py_score(PyObject *self, PyObject *args) {
    PyObject *candidates_, *hidden_, *owners_, *out_;
    Score t = {0};
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOnn", &candidates_, &hidden_, &owners_, &out_, &t.rows, &t.stride)) return NULL;
    const Candidates *c = t.candidates = take_object(candidates_, CANDIDATES, 0);
    if (!c) return NULL;
    t.hidden = take(&buffers, hidden_, area(t.rows, c->k), 4, 0, 0);
    t.owners = take(&buffers, owners_, t.rows, 8, 0, 0);
    t.out = take(&buffers, out_, area(t.rows, t.stride), 4, 1, 0);
    if (!FAILED) check_scored(&t);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        run_parallel(score_part, &t, (double)t.rows * (double)t.stride * (double)c->k, (int)(t.rows < MAX_THREADS ? t.rows : MAX_THREADS));
        Py_END_ALLOW_THREADS
        if (t.failed) PyErr_NoMemory();
    }
    return finish_call(&buffers);
}

#endif
