/* Draws charts in pixels by cairo, which is opened when a PNG file is asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/plot/pen.h"
#include "core/library.h"

/* The functions of cairo 1.0 and later that are used. Its types are opaque; enumerations are ints.
 */
#define CAIRO_CALLS(X)                                                                             \
    X(void *, image_surface_create, (int format, int width, int height))                           \
    X(unsigned char *, image_surface_get_data, (void *surface))                                    \
    X(int, image_surface_get_stride, (void *surface))                                              \
    X(void, surface_flush, (void *surface))                                                        \
    X(void, surface_destroy, (void *surface))                                                      \
    X(int, surface_status, (void *surface))                                                        \
    X(void *, create, (void *surface))                                                             \
    X(void, destroy, (void *cr))                                                                   \
    X(void, save, (void *cr))                                                                      \
    X(void, restore, (void *cr))                                                                   \
    X(void, set_source_rgba, (void *cr, double r, double g, double b, double a))                   \
    X(void, set_line_width, (void *cr, double width))                                              \
    X(void, set_line_join, (void *cr, int join))                                                   \
    X(void, set_antialias, (void *cr, int antialias))                                              \
    X(void, new_path, (void *cr))                                                                  \
    X(void, move_to, (void *cr, double x, double y))                                               \
    X(void, line_to, (void *cr, double x, double y))                                               \
    X(void, rectangle, (void *cr, double x, double y, double width, double height))                \
    X(void, arc, (void *cr, double x, double y, double radius, double from, double to))            \
    X(void, fill, (void *cr))                                                                      \
    X(void, stroke, (void *cr))                                                                    \
    X(void, paint, (void *cr))                                                                     \
    X(void, clip, (void *cr))                                                                      \
    X(void, rotate, (void *cr, double angle))                                                      \
    X(void, translate, (void *cr, double x, double y))                                             \
    X(void, select_font_face, (void *cr, const char *family, int slant, int weight))               \
    X(void, set_font_size, (void *cr, double size))                                                \
    X(void, text_extents, (void *cr, const char *text, double *extents))                           \
    X(void, show_text, (void *cr, const char *text))

typedef struct cairo_calls {
#define MEMBER_OF(type, name, parameters) type(*name) parameters;
    CAIRO_CALLS(MEMBER_OF)
#undef MEMBER_OF
} cairo_calls;

#define NAME_OF(type, name, parameters) "cairo_" #name,
static const char *const call_names[] = {CAIRO_CALLS(NAME_OF)};
#undef NAME_OF

enum { N_CALLS = sizeof call_names / sizeof *call_names };
enum { RGB24 = 1, ANTIALIAS_DEFAULT = 0, ANTIALIAS_NONE = 1, JOIN_ROUND = 1, BOLD = 1 };

_Static_assert(sizeof(cairo_calls) == N_CALLS * sizeof(stoa_library_call),
               "the struct is an array of functions");

typedef struct canvas {
    cli_pen pen; /* first, so that a pen of cairo is one of these */
    cairo_calls cairo;
    void *surface;
    void *cr;
} canvas;

static canvas *canvas_of(cli_pen *pen)
{
    return (canvas *)(void *)pen;
}

static void use(const canvas *c, const char *colour, double alpha)
{
    const unsigned long rgb = strtoul(colour + 1, NULL, 16);

    c->cairo.set_source_rgba(c->cr, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255,
                             (double)(rgb & 255) / 255, alpha);
}

/* The middle of a pixel, where a line of one pixel is sharp. */
static double sharp(double at)
{
    return floor(at) + 0.5;
}

static void draw_line(cli_pen *pen, const char *class, cli_point from, cli_point to,
                      const char *stroke)
{
    const canvas *const c = canvas_of(pen);

    use(c, stroke, 1);
    c->cairo.set_line_width(c->cr, strcmp(class, "median") == 0 ? 2 : 1);
    c->cairo.move_to(c->cr, sharp(from.x), sharp(from.y));
    c->cairo.line_to(c->cr, sharp(to.x), sharp(to.y));
    c->cairo.stroke(c->cr);
}

static void trace(const canvas *c, const cli_point *points, size_t n)
{
    c->cairo.new_path(c->cr);
    for (size_t i = 0; i < n; i++) {
        (i == 0 ? c->cairo.move_to : c->cairo.line_to)(c->cr, points[i].x, points[i].y);
    }
}

static void draw_path(cli_pen *pen, const char *class, const cli_point *points, size_t n,
                      const char *stroke)
{
    const canvas *const c = canvas_of(pen);

    (void)class;
    use(c, stroke, 1);
    c->cairo.set_line_width(c->cr, 1.5);
    trace(c, points, n);
    c->cairo.stroke(c->cr);
}

static void draw_area(cli_pen *pen, const cli_point *points, size_t n, const char *fill)
{
    const canvas *const c = canvas_of(pen);

    use(c, fill, 0.25);
    trace(c, points, n);
    c->cairo.fill(c->cr);
}

static void draw_rect(cli_pen *pen, const char *class, cli_point from, cli_point to,
                      const char *fill, const char *stroke, const char *title)
{
    const canvas *const c = canvas_of(pen);
    const bool is_cell = strncmp(class, "cell", 4) == 0;
    const double x = is_cell ? round(from.x) : from.x;
    const double y = is_cell ? round(from.y) : from.y;
    const double wide = (is_cell ? round(to.x) : to.x) - x;
    const double high = (is_cell ? round(to.y) : to.y) - y;

    (void)title;
    if (fill != NULL) {
        use(c, fill, 1);
        c->cairo.rectangle(c->cr, x, y, wide, high);
        c->cairo.fill(c->cr);
    }
    if (stroke != NULL) {
        use(c, stroke, 1);
        c->cairo.set_line_width(c->cr, 1);
        c->cairo.rectangle(c->cr, x, y, wide, high);
        c->cairo.stroke(c->cr);
    }
}

static void draw_dot(cli_pen *pen, cli_point at, double radius, const char *fill)
{
    const canvas *const c = canvas_of(pen);

    use(c, fill, 0.6);
    c->cairo.new_path(c->cr);
    c->cairo.arc(c->cr, at.x, at.y, radius, 0, 6.283185307179586);
    c->cairo.fill(c->cr);
}

static void draw_text(cli_pen *pen, const cli_words *words)
{
    const canvas *const c = canvas_of(pen);
    stoa_sink sink = {.out = NULL};
    double extents[6] = {0}; /* the fifth is how far the text goes */

    cli_escaped(&sink, words->text, strlen(words->text));
    stoa_sink_char(&sink, '\0');
    const char *const text = (const char *)sink.text.data;
    use(c, words->fill, 1);
    c->cairo.save(c->cr);
    c->cairo.select_font_face(c->cr, "sans-serif", 0,
                              strcmp(words->class, "title") == 0 ? BOLD : 0);
    c->cairo.set_font_size(c->cr, words->size);
    c->cairo.text_extents(c->cr, text, extents);
    c->cairo.translate(c->cr, words->x, words->y);
    c->cairo.rotate(c->cr, words->is_turned ? -1.5707963267948966 : 0);
    c->cairo.move_to(c->cr, -extents[4] * (words->anchor + 1) / 2, 0);
    c->cairo.show_text(c->cr, text);
    c->cairo.restore(c->cr);
    c->cairo.new_path(c->cr);
    stoa_sink_clear(&sink);
}

static void draw_image(cli_pen *pen, cli_point from, cli_point to, const unsigned char *rgb,
                       size_t n_x, size_t n_y)
{
    const canvas *const c = canvas_of(pen);
    const double wide = (to.x - from.x) / (double)n_x;
    const double high = (to.y - from.y) / (double)n_y;

    c->cairo.set_antialias(c->cr, ANTIALIAS_NONE);
    for (size_t y = 0; y < n_y; y++) {
        for (size_t x = 0; x < n_x; x++) {
            const unsigned char *const pixel = rgb + (y * n_x + x) * 3;
            const double left = round(from.x + wide * (double)x);
            const double top = round(from.y + high * (double)y);
            c->cairo.set_source_rgba(c->cr, pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0,
                                     1);
            c->cairo.rectangle(c->cr, left, top, round(from.x + wide * (double)(x + 1)) - left,
                               round(from.y + high * (double)(y + 1)) - top);
            c->cairo.fill(c->cr);
        }
    }
    c->cairo.set_antialias(c->cr, ANTIALIAS_DEFAULT);
}

static void draw_clip(cli_pen *pen, const cli_point *from, const cli_point *to)
{
    const canvas *const c = canvas_of(pen);

    if (from == NULL) {
        c->cairo.restore(c->cr);
        return;
    }
    c->cairo.save(c->cr);
    c->cairo.rectangle(c->cr, from->x, from->y, to->x - from->x, to->y - from->y);
    c->cairo.clip(c->cr);
}

static stoa_status open_cairo(cairo_calls *cairo, stoa_error *err)
{
    static const char *const files[] = {"libcairo.so.2", "libcairo.2.dylib", NULL};
    stoa_library_call found[N_CALLS];

    if (stoa_library_find(files, call_names, N_CALLS, found) == NULL) {
        return stoa_fail(err, STOA_ENOTFOUND,
                         "PNG is drawn by cairo, and libcairo.so.2 is not there; install it "
                         "(Debian: libcairo2), or write .svg");
    }
    memcpy(cairo, found, sizeof found);
    return STOA_OK;
}

/* The pixels as three bytes each; the caller frees them. */
static unsigned char *pixels_of(const canvas *c, cli_chart_size size)
{
    unsigned char *const rgb = cli_resize(NULL, (size_t)size.width * size.height, 3);

    c->cairo.surface_flush(c->surface);
    const unsigned char *const data = c->cairo.image_surface_get_data(c->surface);
    const size_t stride = (size_t)c->cairo.image_surface_get_stride(c->surface);
    for (size_t y = 0; y < size.height; y++) {
        for (size_t x = 0; x < size.width; x++) {
            uint32_t pixel = 0;
            memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
            unsigned char *const to = rgb + (y * size.width + x) * 3;
            to[0] = (unsigned char)(pixel >> 16);
            to[1] = (unsigned char)(pixel >> 8);
            to[2] = (unsigned char)pixel;
        }
    }
    return rgb;
}

stoa_status cli_chart_pixels(cli_chart *chart, cli_chart_size size, unsigned char **rgb,
                             stoa_error *err)
{
    canvas c = {.pen = {.line = draw_line,
                        .path = draw_path,
                        .area = draw_area,
                        .rect = draw_rect,
                        .dot = draw_dot,
                        .text = draw_text,
                        .image = draw_image,
                        .clip = draw_clip}};

    STOA_RETURN_NOT_OK(open_cairo(&c.cairo, err));
    c.surface = c.cairo.image_surface_create(RGB24, (int)size.width, (int)size.height);
    if (c.cairo.surface_status(c.surface) != 0) {
        c.cairo.surface_destroy(c.surface);
        return stoa_fail(err, STOA_ENOMEM, "no memory for a picture of %u x %u pixels", size.width,
                         size.height);
    }
    c.cr = c.cairo.create(c.surface);
    c.cairo.set_source_rgba(c.cr, 1, 1, 1, 1);
    c.cairo.paint(c.cr);
    c.cairo.set_line_join(c.cr, JOIN_ROUND);
    cli_chart_fit(chart);
    cli_chart_draw(chart, size, &c.pen);
    *rgb = pixels_of(&c, size);
    c.cairo.destroy(c.cr);
    c.cairo.surface_destroy(c.surface);
    return STOA_OK;
}

stoa_status cli_chart_png_bytes(cli_chart *chart, cli_chart_size size, unsigned char **png,
                                size_t *n, stoa_error *err)
{
    unsigned char *rgb = NULL;

    STOA_RETURN_NOT_OK(cli_chart_pixels(chart, size, &rgb, err));
    *png = cli_png(rgb, size.width, size.height, n);
    free(rgb);
    return *png != NULL ? STOA_OK : stoa_fail(err, STOA_ENOMEM, "no memory to write a picture");
}

stoa_status cli_chart_png(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err)
{
    unsigned char *png = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(cli_chart_png_bytes(chart, size, &png, &n, err));
    (void)fwrite(png, 1, n, out);
    free(png);
    return STOA_OK;
}
