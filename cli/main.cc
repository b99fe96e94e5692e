#include "cli/tool.h"

int main(int argc, char** argv) { return millrace::cli::run_tool(argc, argv); }
