#include "CFreshetMemory.h"

size_t freshet_header_lines_take(char *line, size_t size, size_t count, void *context) {
    freshet_header_lines *lines = context;
    (void)size; // It is 1.
    // The end of a head is not kept.
    if (lines->notes && count && line[0] != '\r' && line[0] != '\n') freshet_memory_note_header(&lines->note, line, count);
    // What is cut short could be the beginning of the line that is expected.
    if (count >= lines->left || !count || line[count - 1] != '\n' || memcmp(lines->upcoming, line, count))
        return lines->other(line, count, lines->owner);
    lines->upcoming += count;
    lines->left -= count;
    lines->seen += count;
    lines->latest = *lines->clock;
    return count;
}
