/* Python buffers as checked memory. Included by kernels.c only. */
#ifndef HEDLINE_BUFFERS_H
#define HEDLINE_BUFFERS_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define MOST 64                       /* buffers one call may hold */
#define LARGEST ((Py_ssize_t)1 << 40) /* items of any array: sixteen times as many bytes still fit a size */

/* Buffers of one call, released together. */
typedef struct {
    Py_buffer views[MOST];
    int count;
} Buffers;

#define FAILED (PyErr_Occurred() != NULL)

static PyObject *finish_call(Buffers *buffers) {
    while (buffers->count) PyBuffer_Release(&buffers->views[--buffers->count]);
    if (FAILED) return NULL;
    Py_RETURN_NONE;
}

/* a * b items; -1 with an error set where a size is below 1 or the product is absurd. */
static Py_ssize_t area(Py_ssize_t a, Py_ssize_t b) {
    if (FAILED) return -1;
    if (a > 0 && b > 0 && a <= LARGEST / b) return a * b;
    PyErr_Format(PyExc_ValueError, "kernel sizes %zd and %zd make no array", a, b);
    return -1;
}

/* The memory of a contiguous buffer of at least `items` items; NULL with an error set, or for None when allowed. */
static void *take(Buffers *buffers, PyObject *object, Py_ssize_t items, Py_ssize_t size, int writable, int optional) {
    if (FAILED || (optional && object == Py_None)) return NULL;
    if (items < 1 || items > LARGEST || buffers->count == MOST) {
        PyErr_Format(PyExc_ValueError, "kernel buffer of %zd items", items);
        return NULL;
    }
    Py_buffer *view = &buffers->views[buffers->count];
    int flags = PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, view, flags) != 0) return NULL;
    buffers->count++;
    if (view->itemsize != size || view->len / size < items) {
        PyErr_Format(PyExc_ValueError, "kernel buffer has %zd bytes in items of %zd, needs %zd items of %zd", view->len,
                     view->itemsize, items, size);
        return NULL;
    }
    return view->buf;
}

/* A capsule's object of our own kind; NULL with an error set, or for None when allowed. */
static void *take_object(PyObject *object, const char *kind, int optional) {
    if (FAILED || (optional && object == Py_None)) return NULL;
    return PyCapsule_GetPointer(object, kind);
}

#endif
