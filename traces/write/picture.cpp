#include "traces/write/picture.h"

#include <cairo.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "isa/table/instruction_table.h"
#include "sim/files/escape_xml.h"
#include "sim/files/output_file.h"
#include "traces/analyse/labels.h"
#include "traces/analyse/lane_slices.h"
#include "traces/record/core_index.h"
#include "traces/write/summary.h"

namespace ptosim {

namespace {

constexpr int kRow = 20, kLeft = 92, kRight = 16, kTitle = 32, kLine = 14, kAxis = 58, kGroup = 8,
              kLabel = 20;
// Widths of a letter of size 11 and of a digit of size 10, on the wide side: fonts differ.
constexpr double kLetter = 6.4, kDigit = 6.5;

struct Color {
    unsigned rgb = 0;
    double part(unsigned shift) const { return ((rgb >> shift) & 0xFF) / 255.0; }
};
constexpr Color kText{0x1c2128}, kDim{0x59636e}, kGrid{0xd8dee4}, kWaitColor{0xb9c0c8},
    kNeverColor{0xb3123f}, kSyncColor{0x3d444d}, kScalarColor{0xa9b1ba}, kPaper{0xffffff};

// Okabe and Ito's, as in the viewer: any kind of colour vision distinguishes them.
Color pipe_color(Pipe pipe) {
    switch (pipe) {
        case Pipe::kMTE2:
            return {0x009E73};
        case Pipe::kMTE1:
            return {0x56B4E9};
        case Pipe::kM:
            return {0x0072B2};
        case Pipe::kV:
            return {0xE69F00};
        case Pipe::kFIX:
            return {0xCC79A7};
        case Pipe::kMTE3:
            return {0xD55E00};
        default:
            return {0x8a8f98};
    }
}

class Canvas {
 public:
    virtual ~Canvas() = default;
    virtual void rectangle(double x, double y, double width, double height, Color color) = 0;
    // From its left end, or before its right end.
    virtual void text(double x, double y, const std::string& text, unsigned size, Color color,
                      bool before = false, bool bold = false) = 0;
};

std::string fixed(double value) {
    const auto hundredths = static_cast<int64_t>(std::llround(value * 100));
    return std::to_string(hundredths / 100) +
           (hundredths % 100 == 0 ? "" : "." + std::to_string(100 + hundredths % 100).substr(1));
}

class SvgCanvas : public Canvas {
 public:
    SvgCanvas(const std::filesystem::path& path, int width, int height) : file_{path} {
        const std::string size =
            "width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
        file_.write("<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " +
                    std::to_string(width) + " " + std::to_string(height) +
                    "\" font-family=\"DejaVu Sans, sans-serif\">\n");
    }
    void rectangle(double x, double y, double width, double height, Color color) override {
        file_.write("<rect x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" width=\"" + fixed(width) +
                    "\" height=\"" + fixed(height) + "\" fill=\"" + hex(color) + "\"/>\n");
    }
    void text(double x, double y, const std::string& text, unsigned size, Color color, bool before,
              bool bold) override {
        file_.write("<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" font-size=\"" +
                    std::to_string(size) + "\" fill=\"" + hex(color) + "\"" +
                    (before ? " text-anchor=\"end\"" : "") + (bold ? " font-weight=\"bold\"" : "") +
                    ">" + escape_xml(text) + "</text>\n");
    }
    void finish() {
        file_.write("</svg>\n");
        file_.commit();
    }

 private:
    static std::string hex(Color color) {
        char text[8];
        std::snprintf(text, sizeof text, "#%06x", color.rgb);
        return text;
    }
    OutputFile file_;
};

// Functions of cairo that pictures need. The library is loaded for the first picture, because it
// brings a dozen others with it, which would slow every start of the program.
class Cairo {
 public:
    // Fails with DiagnosticError (I40) where it is not installed.
    static const Cairo& library() {
        static const Cairo& loaded = *new Cairo;
        return loaded;
    }

#define FUNCTION(NAME) \
    decltype(&cairo_##NAME) NAME = reinterpret_cast<decltype(&cairo_##NAME)>(find("cairo_" #NAME))
    FUNCTION(image_surface_create);
    FUNCTION(surface_destroy);
    FUNCTION(surface_write_to_png_stream);
    FUNCTION(status_to_string);
    FUNCTION(create);
    FUNCTION(destroy);
    FUNCTION(set_source_rgb);
    FUNCTION(rectangle);
    FUNCTION(fill);
    FUNCTION(select_font_face);
    FUNCTION(set_font_size);
    FUNCTION(text_extents);
    FUNCTION(move_to);
    FUNCTION(show_text);
#undef FUNCTION

 private:
    Cairo() = default;
    static void* find(const char* name) {
        void* const library = dlopen("libcairo.so.2", RTLD_LAZY | RTLD_LOCAL);
        void* const found = library == nullptr ? nullptr : dlsym(library, name);
        if (found == nullptr)
            fail_input("I40", std::string("cannot draw a .png file: ") + dlerror(),
                       "install cairo (Debian: libcairo2), or make an .svg file");
        return found;
    }
};

class PngCanvas : public Canvas {
 public:
    PngCanvas(int width, int height)
        : surface_{lib_.image_surface_create(CAIRO_FORMAT_RGB24, width, height)},
          cairo_{lib_.create(surface_)} {}
    ~PngCanvas() override {
        lib_.destroy(cairo_);
        lib_.surface_destroy(surface_);
    }
    PngCanvas(const PngCanvas&) = delete;
    PngCanvas& operator=(const PngCanvas&) = delete;
    void rectangle(double x, double y, double width, double height, Color color) override {
        use(color);
        lib_.rectangle(cairo_, x, y, width, height);
        lib_.fill(cairo_);
    }
    void text(double x, double y, const std::string& text, unsigned size, Color color, bool before,
              bool bold) override {
        use(color);
        lib_.select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                              bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        lib_.set_font_size(cairo_, size);
        cairo_text_extents_t extents;
        lib_.text_extents(cairo_, text.c_str(), &extents);
        lib_.move_to(cairo_, before ? x - extents.x_advance : x, y);
        lib_.show_text(cairo_, text.c_str());
    }
    void finish(const std::filesystem::path& path) {
        std::string bytes;
        const auto append = [](void* to, const unsigned char* data, unsigned size) {
            static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
            return CAIRO_STATUS_SUCCESS;
        };
        const cairo_status_t status = lib_.surface_write_to_png_stream(surface_, append, &bytes);
        if (status != CAIRO_STATUS_SUCCESS)
            fail_input("I40",
                       "cannot draw " + path.string() + ": " + lib_.status_to_string(status));
        OutputFile file{path};
        file.write(bytes);
        file.commit();
    }

 private:
    void use(Color color) {
        lib_.set_source_rgb(cairo_, color.part(16), color.part(8), color.part(0));
    }
    const Cairo& lib_ = Cairo::library();
    cairo_surface_t* surface_;
    cairo_t* cairo_;
};

// One run as rows of a picture.
struct Strip {
    Strip(const Recording& recording, const std::string& label, const PictureOptions& options)
        : recording{recording}, label{label}, lanes{lane_slices(recording)} {
        for (uint16_t core : lane_order(recording.cores)) {
            const CoreId id = recording.cores[core];
            if (!options.cores.empty() &&
                std::find(options.cores.begin(), options.cores.end(), id) == options.cores.end())
                continue;
            bool first = true;
            for (unsigned pipe = 0; pipe < kPipeCount; ++pipe) {
                if (lanes[core][pipe].empty()) continue;
                rows.push_back({core, static_cast<Pipe>(pipe), first});
                first = false;
            }
        }
    }
    int height() const {
        int sum = 0;
        for (const Row& row : rows) sum += kRow + (row.first ? kGroup : 0);
        return sum + 14;
    }
    bool never_released() const {
        return std::any_of(recording.waits.begin(), recording.waits.end(),
                           [](const WaitRecord& wait) { return wait.open; });
    }
    Cycle cycles() const { return recording.end - recording.begin; }

    struct Row {
        uint16_t core;
        Pipe pipe;
        bool first;  // of its core
    };
    const Recording& recording;
    std::string label;
    std::vector<CoreLanes> lanes;
    std::vector<Row> rows;
};

struct Heading {
    std::string title;
    std::vector<std::string> lines;
    int height() const { return kTitle + kLine * static_cast<int>(lines.size()); }
};

void draw_slice(Canvas& canvas, const Strip& strip, const Strip::Row& row, const Slice& s, double y,
                double x, double width) {
    const bool wait = s.activity == Activity::kWait;
    const bool never = wait && strip.recording.waits[s.index].open;
    const double tall = never                           ? 0.4
                        : wait                          ? 0.24
                        : s.activity == Activity::kRun  ? 0.46
                        : s.activity == Activity::kSync ? 0.5
                                                        : 0.78;
    const Color color = never                           ? kNeverColor
                        : wait                          ? kWaitColor
                        : s.activity == Activity::kRun  ? kScalarColor
                        : s.activity == Activity::kSync ? kSyncColor
                                                        : pipe_color(row.pipe);
    canvas.rectangle(x, y + kRow * (1 - tall) / 2, width, kRow * tall, color);
    if (s.activity != Activity::kWork) return;
    const InstructionRecord& record = strip.recording.instructions[s.index];
    const auto* const call = strip.recording.sources.call(record.location, record.opcode);
    const std::string text{call == nullptr ? info(record.opcode).name : call->function};
    if (width > 7.0 * static_cast<double>(text.size()) + 4)
        canvas.text(x + 3, y + 14, text, 10, kPaper, false, true);
}

// Slices that would be narrower than half a pixel are drawn as one, as what most of them are.
void draw_row(Canvas& canvas, const Strip& strip, const Strip::Row& row, double y, double scale) {
    const Lane& lane = strip.lanes[row.core][static_cast<size_t>(row.pipe)];
    constexpr double kLeast = 0.5;
    for (size_t i = 0; i < lane.size();) {
        const Slice& s = lane[i];
        const double x = kLeft + static_cast<double>(s.begin - strip.recording.begin) * scale;
        const double width = static_cast<double>(s.end - s.begin) * scale;
        if (width >= kLeast) {
            draw_slice(canvas, strip, row, s, y, x,
                       std::max(kLeast, width - (width > 4 ? 0.6 : 0)));
            ++i;
            continue;
        }
        size_t widest = i;
        Cycle until = s.end;
        for (; i < lane.size() && static_cast<double>(lane[i].end - s.begin) * scale < 2 * kLeast;
             ++i) {
            until = std::max(until, lane[i].end);
            if (lane[i].end - lane[i].begin > lane[widest].end - lane[widest].begin) widest = i;
        }
        if (until == s.begin) continue;  // nothing but signals that take no time
        draw_slice(canvas, strip, row, lane[widest], y, x,
                   std::max(kLeast, static_cast<double>(until - s.begin) * scale));
    }
}

// Step of the axis: 1, 2 or 5 times a power of ten, so that it has at most twelve steps.
Cycle axis_step(Cycle whole) {
    for (Cycle power = 1;; power *= 10)
        for (Cycle factor : {1, 2, 5}) {
            const Cycle step = power * factor;
            if (whole / step <= 12) return step;
        }
}

void draw(Canvas& canvas, const std::vector<Strip>& strips, const Heading& heading, int width,
          int height) {
    canvas.rectangle(0, 0, width, height, kPaper);
    canvas.text(12, 20, heading.title, 15, kText, false, true);
    for (size_t i = 0; i < heading.lines.size(); ++i)
        canvas.text(12, 38 + kLine * static_cast<double>(i), heading.lines[i], 11, kDim);
    Cycle whole = 1;
    for (const Strip& strip : strips) whole = std::max(whole, strip.cycles());
    const double scale = static_cast<double>(width - kLeft - kRight) / static_cast<double>(whole);
    const double axis = height - kAxis + 8.0;
    const Cycle step = axis_step(whole);
    for (Cycle at = 0; at <= whole; at += step) {
        const double x = kLeft + static_cast<double>(at) * scale;
        const std::string label = std::to_string(at);
        const bool fits = x + 3 + kDigit * static_cast<double>(label.size()) <= width;
        canvas.rectangle(x, heading.height(), 1, axis - heading.height(), kGrid);
        canvas.text(fits ? x + 3 : x - 3, axis + 12, label, 10, kDim, !fits);
    }
    canvas.text(kLeft - 8, axis + 12, "cycles", 10, kDim, true);
    double y = heading.height();
    for (const Strip& strip : strips) {
        if (!strip.label.empty()) canvas.text(kLeft, y + 16, strip.label, 11, kText, false, true);
        y += strip.label.empty() ? 0 : kLabel;
        for (const Strip::Row& row : strip.rows) {
            if (row.first) y += kGroup;
            const std::string label =
                name(strip.recording.cores[row.core]) + " " + std::string(name(row.pipe));
            canvas.text(kLeft - 8, y + 14, label, 10, kText, true);
            draw_row(canvas, strip, row, y, scale);
            y += kRow;
        }
    }
    double x = kLeft;
    for (Pipe pipe : {Pipe::kMTE2, Pipe::kMTE1, Pipe::kM, Pipe::kV, Pipe::kFIX, Pipe::kMTE3}) {
        canvas.rectangle(x, axis + 24, 12, 12, pipe_color(pipe));
        canvas.text(x + 16, axis + 34, std::string(name(pipe)), 10, kText);
        x += 64;
    }
    canvas.rectangle(x, axis + 28, 12, 5, kWaitColor);
    canvas.text(x + 16, axis + 34, "waits", 10, kText);
    canvas.rectangle(x + 64, axis + 26, 12, 8, kScalarColor);
    canvas.text(x + 80, axis + 34, "scalar unit", 10, kText);
    if (std::none_of(strips.begin(), strips.end(), std::mem_fn(&Strip::never_released))) return;
    canvas.rectangle(x + 160, axis + 26, 12, 8, kNeverColor);
    canvas.text(x + 176, axis + 34, "never released", 10, kText);
}

// The cluster on which the critical path ends.
PictureOptions with_cores(const Recording& recording, const Analysis& analysis,
                          PictureOptions options) {
    if (!options.cores.empty() || recording.cores.size() <= 3) return options;
    const auto cluster = [](CoreId id) {
        return id.type == CoreType::kAIC ? id.index : id.index / 2;
    };
    int32_t last = -1;
    for (const Dependencies::Step& step : analysis.path)
        if (step.instruction >= 0)
            last = static_cast<int32_t>(cluster(
                recording
                    .cores[recording.instructions[static_cast<size_t>(step.instruction)].core]));
    for (CoreId id : recording.cores)
        if (cluster(id) == last) options.cores.push_back(id);
    return options;
}

int picture_height(const std::vector<Strip>& strips, const Heading& heading) {
    int height = heading.height() + kAxis;
    for (const Strip& strip : strips) height += strip.height();
    return height;
}

// Sources by their file names: a picture has no room for folders.
std::string without_folders(std::string text, const Sources& sources) {
    for (size_t i = 0; i < sources.size(); ++i) {
        const std::string path = sources.file(i).name;
        const std::string name = std::filesystem::path(path).filename().string();
        if (name.empty()) continue;
        for (size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += name.size())
            text.replace(at, path.size(), name);
    }
    return text;
}

std::vector<std::string> wrapped(const std::string& text, size_t columns) {
    std::vector<std::string> lines;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (lines.empty() || lines.back().size() + 1 + word.size() > columns)
            lines.push_back(word);
        else
            lines.back() += " " + word;
    }
    return lines;
}

Heading heading(const Recording& recording, const Analysis& analysis, unsigned width) {
    const Accounting& a = analysis.accounting;
    std::string text = a.chip + ", " + std::to_string(a.duration()) +
                       " cycles = " + micros_text(picoseconds(a.duration(), a.clock_hz)) + " us. " +
                       analysis.bottleneck;
    if (!recording.gaps.empty()) text += " INCOMPLETE: " + recording.gaps.front();
    return {a.kernel, wrapped(without_folders(text, recording.sources),
                              static_cast<size_t>((width - 24) / kLetter))};
}

}  // namespace

void write_svg(const Recording& recording, const Analysis& analysis,
               const std::filesystem::path& path, const PictureOptions& given) {
    std::vector<Strip> strips;
    strips.emplace_back(recording, "", with_cores(recording, analysis, given));
    const Heading above = heading(recording, analysis, given.width);
    const int height = picture_height(strips, above);
    SvgCanvas canvas(path, static_cast<int>(given.width), height);
    draw(canvas, strips, above, static_cast<int>(given.width), height);
    canvas.finish();
}

void write_png(const Recording& recording, const Analysis& analysis,
               const std::filesystem::path& path, const PictureOptions& given) {
    std::vector<Strip> strips;
    strips.emplace_back(recording, "", with_cores(recording, analysis, given));
    const Heading above = heading(recording, analysis, given.width);
    const int height = picture_height(strips, above);
    PngCanvas canvas(static_cast<int>(given.width), height);
    draw(canvas, strips, above, static_cast<int>(given.width), height);
    canvas.finish(path);
}

void write_pair_svg(const Recording& first, const std::string& first_name, const Recording& second,
                    const std::string& second_name, const std::filesystem::path& path,
                    const PictureOptions& given) {
    // Draws the same cores of both runs, if both have them.
    PictureOptions of_first = with_cores(first, analyse(first, 0), given);
    const PictureOptions of_second = with_cores(second, analyse(second, 0), given);
    if (std::all_of(of_second.cores.begin(), of_second.cores.end(), [&](CoreId id) {
            return std::find(first.cores.begin(), first.cores.end(), id) != first.cores.end();
        }))
        of_first = of_second;
    const auto label = [](const char* which, const std::string& name, const Recording& recording) {
        const Accounting a = account(recording);
        return which + name + ": " + a.kernel + " on " + a.chip + ", " +
               std::to_string(a.duration()) + " cycles" + (a.ended_early ? ", ended early" : "");
    };
    std::vector<Strip> strips;
    strips.emplace_back(first, label("A  ", first_name, first), of_first);
    strips.emplace_back(second, label("B  ", second_name, second), of_second);
    const Heading above{first_name + " and " + second_name, {"A above, B below, on one scale"}};
    const int height = picture_height(strips, above) + 2 * kLabel;
    SvgCanvas canvas(path, static_cast<int>(given.width), height);
    draw(canvas, strips, above, static_cast<int>(given.width), height);
    canvas.finish();
}

}  // namespace ptosim
