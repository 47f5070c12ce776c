// SvgPlot: lines over a common axis as an SVG picture, from columns of CSV files.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "graze/error.h"
#include "graze/write_file.h"

namespace graze {

struct SvgLine {
    std::string name;
    std::vector<double> x, y;
};

class SvgPlot {
public:
    std::string title, x_title, y_title;
    std::vector<SvgLine> lines;

    // Adds a column of a table over its first column; cells without a number are left out.
    void add_column(const std::string& file, const std::string& column, const std::string& name) {
        std::ifstream stream(file);
        if (!stream) throw Error(file + ": cannot be opened");
        std::string row;
        std::getline(stream, row);
        const std::vector<std::string> names = cells(row);
        const auto found = std::find(names.begin(), names.end(), column);
        if (found == names.end()) throw Error(file + ": has no column " + column);
        const auto index = static_cast<std::size_t>(found - names.begin());
        SvgLine line{name, {}, {}};
        while (std::getline(stream, row)) {
            const std::vector<std::string> values = cells(row);
            if (values.size() <= index || values[index].empty()) continue;
            line.x.push_back(std::atof(values[0].c_str()));
            line.y.push_back(std::atof(values[index].c_str()));
        }
        lines.push_back(std::move(line));
    }

    void save(const std::string& file) const {
        double x_most = 0, y_most = 0;
        for (const SvgLine& line : lines) {
            for (const double x : line.x)
                x_most = std::max(x_most, x);
            for (const double y : line.y)
                y_most = std::max(y_most, y);
        }
        const double x_tick = tick(x_most), y_tick = tick(y_most);
        y_most = std::max(y_tick * std::ceil(y_most / y_tick), 1e-12);
        x_most = std::max(x_most, 1e-12);
        std::ostringstream out;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << ' '
            << kHeight << "\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\""
            << kWidth << "\" height=\"" << kHeight << "\" fill=\"#fff\"/>\n";
        text(out, kLeft, 22, title, "start");
        text(out, (kLeft + kWidth - kRight) / 2, kHeight - 8, x_title, "middle");
        text(out, 8, kTop - 8, y_title, "start");
        for (double y = 0; y <= y_most * 1.0001; y += y_tick) {
            const double at = y_of(y, y_most);
            out << "<path d=\"M" << kLeft << ' ' << at << "H" << kWidth - kRight
                << "\" stroke=\"#ddd\"/>\n";
            text(out, kLeft - 6, at + 4, number(y), "end");
        }
        for (double x = 0; x <= x_most * 1.0001; x += x_tick)
            text(out, x_of(x, x_most), kHeight - kBottom + 18, number(x), "middle");
        static constexpr const char* kColours[] = {"#c0392b", "#1f77b4", "#2a9d4a",
                                                   "#8e44ad", "#e08a00", "#555555"};
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const char* colour = kColours[i % std::size(kColours)];
            out << "<path fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\" d=\"";
            for (std::size_t k = 0; k < lines[i].x.size(); ++k)
                out << (k == 0 ? 'M' : 'L') << rounded(x_of(lines[i].x[k], x_most)) << ' '
                    << rounded(y_of(lines[i].y[k], y_most));
            const double at = kTop + 16.0 + 18.0 * static_cast<double>(i);
            out << "\"/>\n<path d=\"M" << kLeft + 14 << ' ' << at - 4 << "h22\" stroke=\"" << colour
                << "\" stroke-width=\"3\"/>\n";
            text(out, kLeft + 42, at, lines[i].name, "start");
        }
        out << "</svg>\n";
        write_file(file, out.str());
    }

private:
    static constexpr int kWidth = 760, kHeight = 420, kLeft = 70, kRight = 20, kTop = 56,
                         kBottom = 52;

    static std::vector<std::string> cells(const std::string& row) {
        std::vector<std::string> result(1);
        bool is_quoted = false;
        for (const char c : row) {
            if (c == '"') {
                is_quoted = !is_quoted;
            } else if (c == ',' && !is_quoted) {
                result.emplace_back();
            } else {
                result.back() += c;
            }
        }
        return result;
    }
    // 1, 2 or 5 times a power of ten, so that about six fit.
    static double tick(double most) {
        const double rough = std::max(most, 1e-12) / 6;
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        for (const double step : {1.0, 2.0, 5.0}) {
            if (step * power >= rough) return step * power;
        }
        return 10 * power;
    }
    static std::string number(double value) {
        char letters[32];
        std::snprintf(letters, sizeof(letters), "%.6g", value);
        return letters;
    }
    static double rounded(double value) { return std::round(value * 10) / 10; }
    static double x_of(double x, double most) {
        return kLeft + (kWidth - kLeft - kRight) * x / most;
    }
    static double y_of(double y, double most) {
        return kHeight - kBottom - (kHeight - kTop - kBottom) * y / most;
    }
    static void text(std::ostringstream& out, double x, double y, const std::string& words,
                     const char* anchor) {
        out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">";
        for (const char c : words)
            out << (c == '<'   ? std::string("&lt;")
                    : c == '&' ? std::string("&amp;")
                               : std::string(1, c));
        out << "</text>\n";
    }
};

}  // namespace graze
