# cmake -DROOT=dir -DFILES="a;b" -DOUTPUT=out.cpp -P embed.cmake
# One raw string literal per line of each file, which keeps every literal below compiler limits.
set(text "#include \"compiler/support/embedded_files.hpp\"\n\nnamespace onnxc {\n\n")
string(APPEND text "const EmbeddedFile kEmbeddedFiles[] = {\n")
foreach(name IN LISTS FILES)
  # file(STRINGS) would split at [ and ]; configure-safe reading keeps the text as it is.
  file(READ ${ROOT}/${name} body)
  string(REPLACE "\n" ")~~~\\n\"\nR\"~~~(" body "${body}")
  string(REPLACE ")~~~\\n\"" ")~~~\" \"\\n\"" body "${body}")
  string(APPEND text "{\"${name}\",\nR\"~~~(${body})~~~\"},\n")
endforeach()
string(APPEND text "};\n\nconst std::size_t kEmbeddedFileCount = ")
list(LENGTH FILES count)
string(APPEND text "${count};\n\n}  // namespace onnxc\n")
file(WRITE ${OUTPUT} "${text}")
