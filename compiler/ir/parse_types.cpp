// The recursive descent parser of dimensions and types.
#include "compiler/ir/parse_types.hpp"

#include "compiler/ir/parse.hpp"

namespace onnxc {
namespace {

constexpr int kTypeDepthLimit = 100;  // of nested types and expressions

}  // namespace

TypeParser::Depth::Depth(TypeParser& p) : parser(p) {
  if (++parser.depth_ > kTypeDepthLimit) parser.in_.fail("nested too deeply");
}

Dim TypeParser::dim() {
  const Depth guard(*this);
  Dim sum = in_.accept("-") ? Dim(-1) * term() : term();
  for (;;) {
    if (in_.accept("+"))
      sum = sum + term();
    else if (in_.accept("-"))
      sum = sum - term();
    else
      return sum;
  }
}

Shape TypeParser::shape() {
  Shape dims;
  in_.expect("[");
  while (in_.peek() != ']') {
    if (!dims.empty()) in_.expect(",");
    dims.push_back(dim());
  }
  in_.expect("]");
  return dims;
}

Type TypeParser::type() {
  const Depth guard(*this);
  const std::string word = in_.word();
  if (word == "unknown") return {};
  if (word == "seq" || word == "optional") {
    in_.expect("(");
    Type element = type();
    in_.expect(")");
    return word == "seq" ? Type::sequence(std::move(element)) : Type::optional(std::move(element));
  }
  if (word == "map") {
    in_.expect("(");
    const ElemType key = elem(in_.word());
    in_.expect(",");
    Type value = type();
    in_.expect(")");
    return Type::map(key, std::move(value));
  }
  Type t = Type::tensor(elem(word == "sparse" ? in_.word() : word));
  if (word == "sparse") t.kind = Type::Kind::sparse_tensor;
  if (!in_.accept("[*]")) t.shape = shape();
  return t;
}

ElemType TypeParser::elem(const std::string& word) {
  const ElemType e = elem_type_from_name(word);
  if (e == ElemType::undefined && word != "undefined") in_.fail("unknown type " + word);
  return e;
}

Dim TypeParser::term() {
  Dim product = factor();
  while (in_.accept("*")) product = product * factor();
  return product;
}

Dim TypeParser::factor() {
  const char c = in_.peek();
  if (c >= '0' && c <= '9') return in_.integer();
  const std::string name = in_.word();
  if (!in_.accept("(")) return Dim::symbol(name);
  std::vector<Dim> args{dim()};
  do {
    in_.expect(",");
    args.push_back(dim());
  } while (in_.peek() == ',');
  in_.expect(")");
  return call(name, args);
}

Dim TypeParser::call(const std::string& name, const std::vector<Dim>& args) {
  const auto all = [&](Dim (*f)(const Dim&, const Dim&)) {
    Dim result = args[0];
    for (std::size_t i = 1; i < args.size(); ++i) result = f(result, args[i]);
    return result;
  };
  if (name == "min") return all(Dim::min);
  if (name == "max") return all(Dim::max);
  if (name == "broadcast") return all(Dim::broadcast);
  if (args.size() > 2) in_.fail(name + " takes two");
  if (name == "floor_div") return Dim::floor_div(args[0], args[1]);
  if (name == "trunc_div") return Dim::trunc_div(args[0], args[1]);
  if (name == "broadcast_stride") return Dim::broadcast_stride(args[0], args[1]);
  if (name == "from_end") return Dim::from_end(args[0], args[1]);
  in_.fail("unknown function " + name);
}

Dim parse_dim(std::string_view text) {
  Lexer lexer(text);
  return TypeParser(lexer).dim();
}

Type parse_type(std::string_view text) {
  Lexer lexer(text);
  return TypeParser(lexer).type();
}

}  // namespace onnxc
