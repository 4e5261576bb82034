// image_samples.hpp - tiny images as encoders of all kinds write them, with the pixels that the
// Pillow library reads. They lie in samples/; pixels.ppm there holds the pixels one image after the
// other, each with the name of its file as a comment.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace samples {

struct Sample {
  std::string name;  // of the file
  std::vector<std::uint8_t> data;
  int height = 0, width = 0;
  std::vector<std::uint8_t> pixels;  // RGB
};

inline std::ifstream open(const std::string& name) {
  std::ifstream file(ONNXC_SOURCE_DIR "/tests/kernels/samples/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the sample " + name);
  return file;
}

// The next image of a PPM file; false at the end.
inline bool read(std::istream& file, Sample& s) {
  std::string magic, hash;
  int most = 0;
  if (!(file >> magic)) return false;
  file >> hash >> s.name >> s.width >> s.height >> most;
  file.get();
  if (magic != "P6" || hash != "#" || most != 255) throw std::runtime_error("pixels.ppm is broken");
  s.pixels.resize(static_cast<std::size_t>(s.width * s.height * 3));
  file.read(reinterpret_cast<char*>(s.pixels.data()),
            static_cast<std::streamsize>(s.pixels.size()));
  if (!file) throw std::runtime_error("pixels.ppm ends early");
  return true;
}

inline std::vector<Sample> read_all() {
  std::vector<Sample> all;
  std::ifstream pixels = open("pixels.ppm");
  for (Sample s; read(pixels, s); all.push_back(s)) {
    std::ifstream image = open(s.name);
    s.data.assign(std::istreambuf_iterator<char>(image), {});
  }
  if (all.empty()) throw std::runtime_error("there are no samples");
  return all;
}

inline const std::vector<Sample>& all() {
  static const std::vector<Sample> samples = read_all();
  return samples;
}

}  // namespace samples
