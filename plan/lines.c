#include "plan/lines.h"

static uint32_t position_of(const cake_layout *layout, const cake_coordinate *at, uint32_t axes) {
    uint32_t position = 0;
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        if (axes >> d & 1) position = position * layout->shape.extents[d] + at->at[d];
    return position;
}

static bool same_line(const cake_layout *layout, uint32_t a, uint32_t b, uint32_t axes) {
    for (uint8_t d = 0; d < layout->shape.rank; d++)
        if (!(axes >> d & 1) && layout->registers[a].at[d] != layout->registers[b].at[d]) return false;
    return true;
}

/* Adds a register behind those of lower position; layouts have nearly sorted registers. */
static void insert(cake_layout_line *line, const uint32_t *positions, uint32_t r) {
    uint32_t at = line->count++;
    for (; at && positions[line->registers[at - 1]] > positions[r]; at--)
        line->registers[at] = line->registers[at - 1];
    line->registers[at] = r;
}

static uint32_t sort_steps(const cake_layout *layout, const cake_coordinate *bits, uint32_t bit_count, uint32_t axes,
                           cake_layout_step *out_steps) {
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < bit_count; bit++) {
        uint32_t step = position_of(layout, &bits[bit], axes), at = count;
        if (!step) continue;
        for (; at && out_steps[at - 1].step > step; at--)
            out_steps[at] = out_steps[at - 1];
        out_steps[at] = (cake_layout_step){bit, step};
        count++;
    }
    return count;
}

uint32_t cake_layout_lane_step(const cake_layout_lines *lines, uint32_t done) {
    return done < lines->lane_count ? lines->lanes[done].step : UINT32_MAX;
}

uint32_t cake_layout_warp_step(const cake_layout_lines *lines, uint32_t done) {
    return done < lines->warp_count ? lines->warps[done].step : UINT32_MAX;
}

static uint32_t count_chunks(const cake_layout_lines *lines, const cake_layout_line *line) {
    uint32_t step = cake_layout_warp_step(lines, 0), chunks = 1;
    for (uint32_t i = 1; i < line->count; i++)
        chunks += lines->positions[line->registers[i]] / step != lines->positions[line->registers[i - 1]] / step;
    return chunks;
}

cake_layout_lines cake_layout_lines_along(cake_arena *arena, const cake_layout *layout, uint32_t axes) {
    uint32_t registers = layout->register_count;
    cake_layout_lines lines = {.lines = CAKE_NEW_ARRAY(arena, cake_layout_line, registers),
                               .positions = CAKE_NEW_ARRAY(arena, uint32_t, registers)};
    for (uint32_t r = 0; r < registers; r++) {
        lines.positions[r] = position_of(layout, &layout->registers[r], axes);
        uint32_t line = 0;
        while (line < lines.count && !same_line(layout, lines.lines[line].registers[0], r, axes))
            line++;
        if (line == lines.count) {
            lines.lines[line].registers = CAKE_NEW_ARRAY(arena, uint32_t, registers);
            lines.count++;
        }
        insert(&lines.lines[line], lines.positions, r);
    }
    lines.lane_count = sort_steps(layout, layout->lane, CAKE_LANE_BITS, axes, lines.lanes);
    lines.warp_count = sort_steps(layout, layout->warp, layout->warp_bits, axes, lines.warps);
    lines.nested = !lines.lane_count || lines.lanes[lines.lane_count - 1].step < cake_layout_warp_step(&lines, 0);
    for (uint32_t i = 0; i < lines.count; i++) {
        uint32_t chunks = count_chunks(&lines, &lines.lines[i]);
        if (chunks > lines.chunks) lines.chunks = chunks;
    }
    return lines;
}
