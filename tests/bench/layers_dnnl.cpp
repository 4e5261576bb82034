// Times one layer, for layers.py: generated code and the implementations of oneDNN in turn.
// usage: PROGRAM conv|matmul f32|uint8|int32 SECONDS SIZE...
// Sizes of conv: channels in and out, width, kernel, stride, groups; of matmul: batch, m, k, n,
// whether the right operand is constant.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

// The header of any of the layers, which differ in their ports only: the structs are arrays of
// pointers.
#include "layer.h"

using namespace dnnl;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

namespace {

engine cpu(engine::kind::cpu, 0);
stream queue(cpu);
std::mt19937 random_bits(1);

double microseconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Layer {
  bool conv;
  Type in, weights, out;
  std::vector<memory::dim> size;

  memory::dim ci() const { return size[0]; }
  memory::dim co() const { return size[1]; }
  memory::dim width() const { return size[2]; }
  memory::dim kernel() const { return size[3]; }
  memory::dim stride() const { return size[4]; }
  memory::dim group() const { return size[5]; }
  memory::dim pad() const { return kernel() / 2; }
  memory::dim out_width() const { return (width() + 2 * pad() - kernel()) / stride() + 1; }
  memory::dim batch() const { return size[0]; }
  memory::dim m() const { return size[1]; }
  memory::dim k() const { return size[2]; }
  memory::dim n() const { return size[3]; }
  bool constant() const { return size[4] != 0; }
  bool integers() const { return in == Type::u8; }
  memory::dim terms() const { return conv ? ci() / group() * kernel() * kernel() : k(); }
  bool biased() const { return conv || (constant() && !integers()); }
  // Spreads the sums of random bytes over the results.
  float scale() const { return 1.0F / (75.0F * std::sqrt(static_cast<float>(terms()))); }
};

// Operands as floats in plain layouts, of which each implementation gets copies in its own.
struct Operands {
  memory x, w, bias;
};

memory plain(const memory::dims& dims, Tag tag) { return {{dims, Type::f32, tag}, cpu}; }

float* floats(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

void fill(const memory& m, int low, int high, float unit) {
  std::uniform_int_distribution<int> number(low, high);
  float* const to = floats(m);
  for (std::size_t i = 0; i < m.get_desc().get_size() / sizeof(float); ++i)
    to[i] = unit * static_cast<float>(number(random_bits));
}

memory::dims weight_dims(const Layer& l) {
  return l.group() > 1 ? memory::dims{l.group(), l.co() / l.group(), l.ci() / l.group(), l.kernel(),
                                      l.kernel()}
                       : memory::dims{l.co(), l.ci(), l.kernel(), l.kernel()};
}

Operands operands(const Layer& l) {
  Operands o;
  if (l.conv) {
    o = {plain({1, l.ci(), l.width(), l.width()}, Tag::nhwc),
         plain(weight_dims(l), l.group() > 1 ? Tag::goihw : Tag::oihw), plain({l.co()}, Tag::a)};
  } else {
    o = {plain({l.batch(), l.m(), l.k()}, Tag::abc), plain({l.batch(), l.k(), l.n()}, Tag::abc),
         plain({1, 1, l.n()}, Tag::abc)};
  }
  fill(o.x, 0, 255, l.integers() ? 1.0F : 0.01F);
  fill(o.w, -127, 127, l.integers() ? 1.0F : 0.01F);
  fill(o.bias, -99, 99, l.integers() ? 1.0F : 0.01F);
  return o;
}

// The exact sum of result i of a plain layout, with channels last.
double exact_sum(const Layer& l, const Operands& o, memory::dim i) {
  const float *x = floats(o.x), *w = floats(o.w);
  double sum = 0;
  if (!l.conv) {
    const auto row = i / l.n(), column = i % l.n(), matrix = row / l.m();
    for (memory::dim k = 0; k < l.k(); ++k)
      sum += double(x[row * l.k() + k]) * w[(matrix * l.k() + k) * l.n() + column];
    return sum;
  }
  const auto channel = i % l.co(), pixel = i / l.co(), group_in = l.ci() / l.group(),
             first = channel / (l.co() / l.group()) * group_in;
  for (memory::dim t = 0; t < l.terms(); ++t) {
    const auto c = t / (l.kernel() * l.kernel()), tap = t % (l.kernel() * l.kernel()),
               row = pixel / l.out_width() * l.stride() - l.pad() + tap / l.kernel(),
               column = pixel % l.out_width() * l.stride() - l.pad() + tap % l.kernel();
    if (row < 0 || column < 0 || row >= l.width() || column >= l.width()) continue;
    sum += double(x[(row * l.width() + column) * l.ci() + first + c]) * w[channel * l.terms() + t];
  }
  return sum;
}

// Whether results of integers are what the sums say: a sample of them.
bool exact(const Layer& l, const Operands& o, const memory& y) {
  if (!l.integers()) return true;
  const auto desc = y.get_desc();
  memory results(memory::desc(desc.dims(), l.out, l.conv ? Tag::nhwc : Tag::abc), cpu);
  memory from = y;
  reorder(from, results).execute(queue, from, results);
  queue.wait();
  const auto count = memory::dim(results.get_desc().get_size()) / (l.out == Type::s32 ? 4 : 1);
  for (memory::dim i = 0; i < count; i += std::max<memory::dim>(1, count / 509)) {
    double sum = exact_sum(l, o, i);
    if (l.out == Type::s32) {
      if (static_cast<std::int32_t*>(results.get_data_handle())[i] != sum) return false;
      continue;
    }
    if (l.biased()) sum += floats(o.bias)[i % l.co()];
    const float wanted =
        std::clamp(std::nearbyint(static_cast<float>(sum) * l.scale()), 0.0F, 255.0F);
    if (static_cast<float>(static_cast<std::uint8_t*>(results.get_data_handle())[i]) != wanted)
      return false;
  }
  return true;
}

struct Implementation {
  std::string name;
  primitive code;
  Arguments arguments;
  double best = 1e30;
  bool right = true;
};

memory in_layout(const memory& from, const memory::desc& desc) {
  memory to(desc, cpu), copy = from;
  reorder(copy, to).execute(queue, copy, to);
  queue.wait();
  return to;
}

template <class Description>
void add(const Layer& l, const Operands& o, Description& d, std::vector<Implementation>& to) {
  do {
    try {
      Implementation i;
      i.name = d.impl_info_str();
      if (i.name.find("ref") != std::string::npos) continue;
      i.code = primitive(d);
      i.arguments = {{DNNL_ARG_SRC, in_layout(o.x, d.src_desc())},
                     {DNNL_ARG_WEIGHTS, in_layout(o.w, d.weights_desc())},
                     {DNNL_ARG_DST, memory(d.dst_desc(), cpu)},
                     {DNNL_ARG_SCRATCHPAD, memory(d.scratchpad_desc(), cpu)}};
      if (l.biased()) {
        const memory bias = in_layout(
            o.bias, memory::desc(o.bias.get_desc().dims(), l.integers() ? Type::s32 : Type::f32,
                                 l.conv ? Tag::a : Tag::abc));
        i.arguments.insert({DNNL_ARG_BIAS, bias});
      }
      for (int run = 0; run < 3; ++run)
        i.best = std::min(i.best, microseconds([&] {
                            i.code.execute(queue, i.arguments);
                            queue.wait();
                          }));
      i.right = exact(l, o, i.arguments.at(DNNL_ARG_DST));
      to.push_back(i);
    } catch (const error&) {
    }
  } while (d.next_impl());
}

primitive_attr attributes(const Layer& l) {
  primitive_attr a;
  a.set_scratchpad_mode(scratchpad_mode::user);
  const auto columns = static_cast<std::size_t>(l.conv ? l.co() : l.n());
  if (l.out == Type::u8)
    a.set_output_scales(l.conv ? 1 << 1 : 1 << 2, std::vector<float>(columns, l.scale()));
  if (l.conv && !l.integers()) {
    post_ops relu;
    relu.append_eltwise(1.0F, algorithm::eltwise_relu, 0, 0);
    a.set_post_ops(relu);
  }
  return a;
}

void add_conv(const Layer& l, const Operands& o, algorithm kind, std::vector<Implementation>& to) {
  const auto any = [](const memory::dims& dims, Type type) {
    return memory::desc(dims, type, Tag::any);
  };
  const memory::dims strides{l.stride(), l.stride()}, pads{l.pad(), l.pad()};
  const convolution_forward::desc d(
      prop_kind::forward_inference, kind, any({1, l.ci(), l.width(), l.width()}, l.in),
      any(weight_dims(l), l.weights), any({l.co()}, l.integers() ? Type::s32 : Type::f32),
      any({1, l.co(), l.out_width(), l.out_width()}, l.out), strides, pads, pads);
  convolution_forward::primitive_desc p(d, attributes(l), cpu);
  add(l, o, p, to);
}

void add_matmul(const Layer& l, const Operands& o, std::vector<Implementation>& to) {
  const auto rows = [](const memory::dims& dims, Type type) {
    return memory::desc(dims, type, Tag::abc);
  };
  const memory::desc x = rows({l.batch(), l.m(), l.k()}, l.in),
                     y = rows({l.batch(), l.m(), l.n()}, l.out),
                     w({l.batch(), l.k(), l.n()}, l.weights, l.constant() ? Tag::any : Tag::abc),
                     bias = rows({1, 1, l.n()}, l.integers() ? Type::s32 : Type::f32);
  const matmul::desc d = l.biased() ? matmul::desc(x, w, bias, y) : matmul::desc(x, w, y);
  matmul::primitive_desc p(d, attributes(l), cpu);
  add(l, o, p, to);
}

std::vector<Implementation> implementations(const Layer& l, const Operands& o) {
  std::vector<Implementation> all;
  if (!l.conv) {
    add_matmul(l, o, all);
    return all;
  }
  for (const algorithm kind : {algorithm::convolution_direct, algorithm::convolution_winograd}) {
    try {
      add_conv(l, o, kind, all);
    } catch (const error&) {  // Winograd is there for some kernels only.
    }
  }
  return all;
}

// Memory at the start of a cache line, as tensors within a net have it.
template <class T>
T* aligned(std::size_t count) {
  return static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 127) / 64 * 64));
}

// The generated function on random numbers.
std::function<void()> generated(const Layer& l) {
  const layer_model_info& info = *layer_info();
  static void* memories[3];
  for (std::uint32_t i = 0; i <= info.input_count; ++i) {
    const layer_port_info& port = i < info.input_count ? info.inputs[i] : info.outputs[0];
    std::size_t elements = 1;
    for (int axis = 0; axis < port.rank; ++axis)
      elements *= static_cast<std::size_t>(port.dims[axis]);
    auto* const numbers = aligned<float>(elements);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(numbers);
    for (std::size_t j = 0; j < elements; ++j) {
      const auto number = static_cast<std::uint8_t>(random_bits());
      if (l.integers()) {
        bytes[j] = number;
      } else {
        numbers[j] = 0.01F * static_cast<float>(number);
      }
    }
    memories[i] = numbers;
  }
  static void* const out = memories[info.input_count];
  static void* const arena = aligned<std::uint8_t>(info.arena_bytes);
  return [] {
    if (layer_run(reinterpret_cast<layer_inputs*>(memories),
                  reinterpret_cast<const layer_outputs*>(&out), arena) != LAYER_OK)
      std::abort();
  };
}

Implementation* fastest(std::vector<Implementation>& all, bool right) {
  Implementation* best = nullptr;
  for (Implementation& i : all)
    if (i.right == right && (best == nullptr || i.best < best->best)) best = &i;
  return best;
}

}  // namespace

int main(int, char** words) {
  const std::string kind = words[1], type = words[2];
  const bool integers = type != "f32";
  Layer l = {kind == "conv",
             integers ? Type::u8 : Type::f32,
             integers ? Type::s8 : Type::f32,
             type == "uint8" ? Type::u8
             : integers      ? Type::s32
                             : Type::f32,
             {}};
  for (char** word = words + 4; *word != nullptr; ++word) l.size.push_back(std::atol(*word));
  const Operands o = operands(l);
  std::vector<Implementation> all = implementations(l, o);
  Implementation *const right = fastest(all, true), *const wrong = fastest(all, false);
  const std::function<void()> own = generated(l);
  double best = 1e30;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(words[3]));
  do {
    for (int i = 0; i < 4; ++i) best = std::min(best, microseconds(own));
    for (Implementation* other : {right, wrong})
      for (int i = 0; i < 4 && other != nullptr; ++i)
        other->best = std::min(other->best, microseconds([&] {
                                 other->code.execute(queue, other->arguments);
                                 queue.wait();
                               }));
  } while (std::chrono::steady_clock::now() < end);
  std::printf("%.2f", best);
  for (const Implementation* other : {right, wrong})
    std::printf(" %.2f %s", other != nullptr ? other->best : 0.0,
                other != nullptr ? other->name.c_str() : "-");
  std::printf("\n");
}
