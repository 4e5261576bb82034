// What the functions of a model return.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "compiler/interface/interface.hpp"

namespace onnxc {
namespace {

struct StatusRow {
  StatusValue status;
  bool (*there)(const InterfaceFacts&);
};

bool always(const InterfaceFacts&) { return true; }

constexpr StatusRow kStatusRows[] = {
    {{"OK", 0, "success"}, always},
    {{"BAD_ARGUMENT", 1, "a null pointer or a misaligned arena"}, always},
    {{"BAD_SHAPE", 2, "a run-time size breaks a declared bound or relation"}, always},
    {{"BAD_INDEX", 3, "an index points outside its tensor"}, always},
    {{"OUT_OF_MEMORY", 4, "the caller's allocator returned null"}, always},
    {{"BAD_VALUE", 5, "a run-time value outside what the operator allows"}, always},
    {{"TOO_SMALL", 6, "an output has too little room; its dims say what it takes"}, always},
    {{"BAD_STATE", 7, "the state block belongs to no such model"},
     [](const InterfaceFacts& f) { return f.training; }},
    {{"CANCELLED", 8, "a function of the caller ended the run"},
     [](const InterfaceFacts& f) { return f.hook && f.rows; }},
    {{"CANCELLED", 8, "the hook ended the run"},
     [](const InterfaceFacts& f) { return f.hook && !f.rows; }},
    {{"CANCELLED", 8, "the function for rows ended the run"},
     [](const InterfaceFacts& f) { return f.rows && !f.hook; }},
    {{"DIFFERS", 9, "a result of the self test is not the recorded one"},
     [](const InterfaceFacts& f) { return f.self_test; }},
    {{"DEVICE_FAILED", 10, "another device cannot be reached, or has another plan"},
     [](const InterfaceFacts& f) { return f.devices; }},
    {{"BAD_WEIGHTS", 11, "the weights are those of another model, or of other options"},
     [](const InterfaceFacts& f) { return f.external_weights; }},
};

}  // namespace

std::vector<StatusValue> statuses(const InterfaceFacts& facts) {
  std::vector<StatusValue> list;
  for (const StatusRow& row : kStatusRows)
    if (row.there(facts)) list.push_back(row.status);
  return list;
}

std::vector<std::string> status_names() {
  std::vector<std::string> list;
  for (const StatusRow& row : kStatusRows) list.emplace_back(row.status.name);
  return list;
}

std::string status_name(int status) {
  const auto row = std::find_if(std::begin(kStatusRows), std::end(kStatusRows),
                                [&](const StatusRow& r) { return r.status.value == status; });
  return row == std::end(kStatusRows) ? fmt::format("status {}", status) : row->status.name;
}

}  // namespace onnxc
