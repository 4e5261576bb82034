#!/usr/bin/env node
// The command onnxc. The loader would ask fetch() for a path, which node refuses.
delete globalThis.fetch;
require('./onnxc_node.js');
