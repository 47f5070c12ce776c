#include "page_text.h"

#ifdef GRAZE_PAGE_FILE

// The assembler puts the file into the program as it is; a compiler would take minutes for so long
// a string.
asm(R"(
    .section .rodata
    .balign 16
    .hidden graze_page_begin
    .hidden graze_page_end
    .globl graze_page_begin
    .globl graze_page_end
graze_page_begin:
    .incbin ")" GRAZE_PAGE_FILE R"("
graze_page_end:
    .byte 0
    .text
)");
extern "C" const char graze_page_begin[];
extern "C" const char graze_page_end[];

std::string_view graze::app::page_text() {
    return {graze_page_begin, static_cast<std::size_t>(graze_page_end - graze_page_begin)};
}

#else

std::string_view graze::app::page_text() {
    return {};
}

#endif
