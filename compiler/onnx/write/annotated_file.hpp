// A model file that gets annotations for several devices.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

class AnnotatedFile {
 public:
  // Problems are reported. `moves`: the new file is in another folder.
  AnnotatedFile(const ModelFile& file, bool moves, Diagnostics& diagnostics);

  // Whether the value has a name among the inputs and outputs of the node in the file that makes
  // the node's results. Nodes of subgraphs are in no list.
  bool can_name(const Node& node, const Value& value) const;

  // The file with the configuration, and with what the nodes of the graph say about it, in the
  // place of what it said before. `count` gets the number of annotated nodes.
  std::string bytes_with(const Graph& graph, const DeviceConfiguration& configuration,
                         std::size_t& count);

 private:
  struct Entry {
    int index = 0;  // in the list of nodes
    std::set<std::string> operands;
  };
  const Entry* entry_of(const Node& node) const;

  std::shared_ptr<pb::ModelProto> proto_;
  std::map<std::string, std::shared_ptr<Entry>> nodes_;  // by the name of each result
};

}  // namespace onnxc
