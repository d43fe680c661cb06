/* The state of a running kernel: machine, CTAs, teams, warps, barriers, tasks, and who touched which byte last.
 *
 * Order. An actor is something whose accesses follow each other: a warp, or an asynchronous unit of one. Actors of a
 * CTA are numbered alike in all CTAs (cake_sim_actors). What somebody knows of the past is two vectors over actors:
 * 'order', the accesses that happened before, and 'fenced', those of them that the asynchronous proxy sees too. A sync
 * object gathers what its arrivers know and hands it to who waits. The clock of a warp            counts its syncs;
 * accesses of different lanes between two of them are not ordered a full barrier    the phases whose copies came;
 * cp.async of a warp: its commits wgmma of a warp   its groups; bulk groups of a team: its groups, read and written
 * apart 'fenced' counts the fences of a warp, and is like 'order' for cp.async, whose accesses are generic.
 */
#ifndef CAKE_SIMULATOR_STATE_H
#define CAKE_SIMULATOR_STATE_H

#include "simulator/machine.h"

/* ---- knowledge (clock.c) ---- */

typedef struct cake_sim_clock {
    uint32_t **heard; /* by CTA of the machine: clock by actor; null: nothing */
} cake_sim_clock;

typedef struct cake_sim_knowledge {
    cake_sim_clock order, fenced;
} cake_sim_knowledge;

/* First actor of each kind in a CTA. */
typedef struct cake_sim_actors {
    uint32_t warps;                 /* by warp of the CTA */
    uint32_t elected;               /* by warp: releases of its lane 0 alone */
    uint32_t full;                  /* by pipeline and slot: see cake_sim_pipeline_state */
    uint32_t async;                 /* by warp: cp.async */
    uint32_t wgmma;                 /* by warp */
    uint32_t bulk_read, bulk_write; /* by warp: the elected lane of its team */
    uint32_t grid;                  /* heard: the grids before this one have ended */
    uint32_t count;
} cake_sim_actors;

void cake_sim_knowledge_init(cake_sim_machine *machine, cake_sim_knowledge *knowledge);
void cake_sim_learn(cake_sim_machine *machine, cake_sim_knowledge *to, const cake_sim_knowledge *from);
uint32_t cake_sim_heard(const cake_sim_clock *clock, uint32_t cta, uint32_t actor);
void cake_sim_hear(cake_sim_machine *machine, cake_sim_clock *clock, uint32_t cta, uint32_t actor, uint32_t value);

/* ---- accesses (shadow.c) ---- */

enum { CAKE_SIM_WRITES = 1, CAKE_SIM_ASYNC = 2, CAKE_SIM_ATOMIC = 4, CAKE_SIM_CP_ASYNC = 8, CAKE_SIM_CTA_SCOPE = 16 };

/* One operation's accesses by one actor. */
typedef struct cake_sim_record {
    const cake_plan_op *op;
    const cake_plan *plan;
    uint32_t wave, kernel; /* which machine, which step of the program */
    uint32_t cta;          /* of the machine */
    uint32_t cta_number;   /* of the grid */
    uint32_t actor, clock, fences, elected_clock;
    uint16_t warp; /* of the CTA: who issued it */
    uint8_t flags;
    uint8_t loop_count;
    uint32_t loops; /* into the values of loops */
} cake_sim_record;

#define CAKE_SIM_LANE_BITS     6
#define CAKE_SIM_ALL_LANES     33 /* of a tag: several lanes, or an asynchronous unit */
#define CAKE_SIM_RECORD_LIMIT  ((1u << (32 - CAKE_SIM_LANE_BITS)) - 1)
#define CAKE_SIM_INITIAL_WRITE 1u /* tag of what was there before the kernel; record 0 */

typedef struct cake_sim_reader {
    uint32_t tag, next;
} cake_sim_reader;

/* Memory with a cell for each byte (shared memory) or element (tensors). A tag is a record's number << 6 | lane. */
typedef struct cake_sim_shadow {
    uint64_t cells;
    uint32_t *writes;               /* tag of the last write; 0: never written */
    uint32_t *readers;              /* list of tags since then, in the history's readers; 0: none */
    const cake_plan_tensor *tensor; /* or null: shared memory of 'cta' */
    const cake_sim_cta *cta;
} cake_sim_shadow;

#define CAKE_SIM_CHUNK 4096u

/* Records of one run, of all kernels and machines. */
typedef struct cake_sim_history {
    cake_arena *arena;
    CAKE_VECTOR(cake_sim_record *) chunks;
    uint32_t record_count;
    CAKE_VECTOR(cake_sim_reader) readers;
    CAKE_VECTOR(int64_t) loops;
} cake_sim_history;

cake_sim_record *cake_sim_record_of(const cake_sim_history *history, uint32_t tag);

/* An operation while it touches memory. */
typedef struct cake_sim_touch {
    cake_sim_warp *warp;
    const cake_plan_op *op;
    cake_sim_shadow *shadow;
    const cake_sim_knowledge *knows;
    uint32_t record, flags;
    const cake_plan_place *place;               /* for messages */
    uint32_t ordered;                           /* the last tag that was seen to come before */
    uint32_t list_before, list_after, list_tag; /* the last list of readers and what it became */
    uint32_t clear_list;                        /* the last list that was seen to come before */
} cake_sim_touch;

/* Begins accesses of the warp itself; flags as above. */
cake_sim_touch cake_sim_touch_begin(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_shadow *shadow,
                                    const cake_plan_place *place, uint32_t flags);
/* Begins accesses of an asynchronous unit that the warp has given work: they belong to 'actor' of CTA 'cta' at 'clock'.
 * 'knows': what the issuing thread knew. */
cake_sim_touch cake_sim_touch_begin_for(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_shadow *shadow,
                                        const cake_plan_place *place, uint32_t flags, uint32_t cta, uint32_t actor,
                                        uint32_t clock);
/* 'lane': 0 .. 31, or CAKE_SIM_ALL_LANES. */
void cake_sim_touch_cells(cake_sim_touch *touch, uint64_t first, uint64_t count, uint32_t lane);

/* ---- barriers (barrier.c) ---- */

/* An mbarrier. */
typedef struct cake_sim_mbarrier {
    uint32_t expected, pending; /* arrivals of a phase; those that are still missing */
    int64_t bytes;              /* announced and not come yet */
    uint64_t phases;            /* that are over */
    cake_sim_knowledge gathering, done;
} cake_sim_mbarrier;

/* A named barrier, or that of a cluster; in warps. */
typedef struct cake_sim_barrier {
    uint32_t expected, arrived;
    uint64_t phases;
    const cake_plan_op *op; /* that the first one came to */
    cake_sim_knowledge gathering, done;
} cake_sim_barrier;

void cake_sim_mbarrier_init(cake_sim_machine *machine, cake_sim_mbarrier *barrier, uint32_t expected);
/* 'count' arrivals that announce 'bytes'; what is known is handed on. */
void cake_sim_mbarrier_arrive(cake_sim_machine *machine, cake_sim_mbarrier *barrier, uint32_t count, int64_t bytes,
                              const cake_sim_knowledge *known);
void cake_sim_mbarrier_complete_bytes(cake_sim_machine *machine, cake_sim_mbarrier *barrier, int64_t bytes);
void cake_sim_barrier_init(cake_sim_machine *machine, cake_sim_barrier *barrier, uint32_t expected);
void cake_sim_barrier_arrive(cake_sim_machine *machine, cake_sim_barrier *barrier, const cake_sim_knowledge *known);

/* A warp has ended, which a cluster's barrier does not wait for (PTX ISA 'barrier.cluster': non-exited threads). */
void cake_sim_barrier_leave(cake_sim_machine *machine, cake_sim_barrier *barrier);

typedef struct cake_sim_pipeline_state {
    cake_sim_mbarrier *full, *empty; /* by slot */
    uint32_t first_actor;            /* of 'full', by slot: what tma.load wrote */
} cake_sim_pipeline_state;

/* ---- warps ---- */

/* A block that is being executed. */
typedef struct cake_sim_frame {
    const cake_plan_op *owner; /* FOR, WHILE, IF, AWAIT; null: the body */
    const cake_plan_op *next;
    int64_t value, to, step; /* FOR */
    int64_t rounds;          /* WHILE */
    bool condition;          /* WHILE: this is the condition's block */
} cake_sim_frame;

/* A warp's own counters of a pipeline, over its life. */
typedef struct cake_sim_slots {
    uint64_t acquired, committed, waited, released;
} cake_sim_slots;

/* Bytes of shared memory. */
typedef struct cake_sim_range {
    uint32_t offset, bytes;
} cake_sim_range;

typedef CAKE_VECTOR(cake_sim_range) cake_sim_ranges;

typedef enum cake_sim_warp_state { CAKE_SIM_RUNNING, CAKE_SIM_WAITING, CAKE_SIM_ENDED } cake_sim_warp_state;

struct cake_sim_warp {
    cake_sim_team *team;
    uint32_t number;      /* in the CTA */
    uint32_t team_number; /* in the team */
    cake_sim_warp_state state;
    uint64_t seen;          /* changes of the machine when it last found that it can't go on */
    const cake_plan_op *at; /* the operation that it is at */
    cake_sim_frame frames[CAKE_SIM_MAX_DEPTH];
    uint32_t depth;
    uint32_t stage, part;          /* of an operation that is called again; 0 at first */
    void **places;                 /* by value number: first element, or null */
    cake_sim_variable **variables; /* by variable number, or null */
    unsigned char *scratch;
    size_t scratch_bytes;
    cake_sim_knowledge knows;
    cake_sim_knowledge elected; /* what lane 0 of a team's first warp knows beyond that, to the next sync */
    bool elected_knows;
    uint32_t clock, fences;
    uint32_t elected_clock; /* releases of lane 0 alone */
    uint32_t async_commits;
    cake_sim_slots *slots;             /* by pipeline number */
    uint64_t *signals;                 /* awaits, by signal number */
    uint64_t phase_awaited;            /* stage 1 of a barrier: the phase that ends the wait */
    uint64_t wgmma_groups, wgmma_done; /* committed; waited for */
    uint32_t wgmma_open;               /* issued since the last commit */
    uint64_t *busy;                    /* by variable number: groups after which no wgmma works on it */
    uint64_t bulk_groups;              /* committed by the elected lane */
    uint32_t bulk_open;
    uint64_t meetings;
    cake_sim_ranges unfenced; /* what it wrote and the asynchronous view lacks */
    bool has_registers;       /* setmaxnreg is done */
    bool chosen;              /* may do what cake_sim_must_choose says */
    uint64_t began;           /* step at which it first came to its operation */
};

struct cake_sim_team {
    cake_sim_cta *cta;
    const cake_plan_role *role;
    uint32_t index; /* of the role's teams */
    uint32_t warp_count;
    cake_sim_warp *warps;
    cake_sim_barrier sync;
    /* meetings: data by parity and warp */
    unsigned char **handed[2];
    size_t *handed_bytes[2];
    uint32_t met;      /* warps that came to the present meeting */
    uint64_t meetings; /* that are over */
    const cake_plan_op *meeting_op;
};

/* What a warp of another CTA last did to this one's shared memory or barriers: it must come before this one's end. */
typedef struct cake_sim_visit {
    cake_sim_warp *warp;
    const cake_plan_op *op;
    uint32_t clock;
} cake_sim_visit;

struct cake_sim_cta {
    cake_sim_machine *machine;
    uint32_t index;  /* in the machine */
    uint32_t number; /* in the grid */
    uint32_t rank;   /* in the cluster */
    uint32_t live;   /* warps that have not ended */
    bool started, ended;
    int64_t claimed;
    unsigned char *shared, *async_view; /* shared memory as generic and asynchronous accesses see it */
    cake_sim_shadow shadow;
    cake_sim_team *teams;
    uint32_t team_count;
    cake_sim_warp *warps; /* of all teams */
    uint32_t warp_count;
    cake_sim_pipeline_state *pipelines;                     /* by pipeline number */
    cake_sim_mbarrier *signals;                             /* by signal number */
    cake_sim_barrier cta_barrier, *role_barriers, **batons; /* by role number; by baton and team */
    CAKE_VECTOR(cake_sim_visit) visits;
    int64_t free_registers; /* in the pool of setmaxnreg */
};

/* ---- tasks (task.c) ---- */

typedef enum cake_sim_task_kind {
    CAKE_SIM_TASK_TMA_LOAD,
    CAKE_SIM_TASK_BULK_READ,
    CAKE_SIM_TASK_BULK_WRITE,
    CAKE_SIM_TASK_CP_ASYNC,
    CAKE_SIM_TASK_ARRIVE, /* of cp.async at a barrier */
    CAKE_SIM_TASK_WGMMA
} cake_sim_task_kind;

typedef struct cake_sim_task cake_sim_task;
typedef void cake_sim_task_run(cake_sim_task *task);

/* Work of an asynchronous unit that is under way. Tasks of cp.async of one warp end in order, and so do its wgmma. */
struct cake_sim_task {
    cake_sim_task_kind kind;
    cake_sim_task_run *run;
    cake_sim_warp *warp;
    const cake_plan_op *op;
    void *data;
    uint64_t group;
    uint64_t began; /* step of the launch */
};

cake_sim_task *cake_sim_task_add(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_task_kind kind,
                                 cake_sim_task_run *run, void *data, uint64_t group);
/* Whether a task of this warp and kind and of a group below 'group' is under way. */
bool cake_sim_task_pending(const cake_sim_warp *warp, cake_sim_task_kind kind, uint64_t group);
/* Ends a task of the scheduler's choice; false where there is none. */
bool cake_sim_task_end_one(cake_sim_machine *machine);
/* Ends the oldest task that a warp of the CTA began; false where there is none. */
bool cake_sim_task_end_of(cake_sim_machine *machine, const cake_sim_cta *cta);

/* Memory of a task, used again when that is over. */
typedef struct cake_sim_staging {
    struct cake_sim_staging *next;
    size_t capacity;
    unsigned char *bytes;
} cake_sim_staging;

cake_sim_staging *cake_sim_staging_take(cake_sim_machine *machine, size_t bytes);
void cake_sim_staging_give(cake_sim_machine *machine, cake_sim_staging *staging);

/* ---- the machine ---- */

/* What release hands to acquire through one element in global or shared memory. */
typedef struct cake_sim_flag {
    const cake_sim_shadow *shadow;
    uint64_t cell;
    cake_sim_knowledge known;
} cake_sim_flag;

/* What was worked out once for a key. */
typedef struct cake_sim_cached {
    const void *key;
    uint64_t second;
    void *table;
} cake_sim_cached;

/* One kernel of a run. */
typedef struct cake_sim_launch {
    cake_arena *arena;
    const cake_sim_kernel *kernel;
    const cake_plan *plan;
    const cake_sim_options *options;
    cake_diagnostics *diagnostics;
    cake_sim_history *history;
    cake_sim_shadow **shadows; /* by tensor number; of read-only ones null */
    unsigned char **memory;    /* by tensor number */
    void **places;             /* by value number: of the launch scope */
    void **constants;          /* by value number */
    int64_t *cells;            /* by tensor number: elements that its memory holds */
    uint32_t kernel_number;    /* step of the program */
    bool overlapped;
    int64_t grid; /* CTAs */
    uint32_t sms;
    uint64_t random;
    CAKE_VECTOR(uint64_t) reported; /* operation and code */
    uint32_t finding_count;
    cake_diagnostics held_back; /* reads of what nobody wrote so far */
    bool stopped;               /* no warp goes on: enough findings, a hang, or it gave up */
    bool gave_up;               /* after the most steps */
    bool out_of_step;           /* of pipelines: what follows says nothing */
    uint64_t steps, most_steps;
    uint32_t wave;          /* machines so far */
    cake_sim_cached *cache; /* hash table, open addressing */
    uint32_t cache_count, cache_capacity;
} cake_sim_launch;

struct cake_sim_machine {
    cake_arena *arena; /* of this machine alone */
    cake_sim_launch *launch;
    const cake_plan *plan;
    cake_sim_actors actors;
    cake_sim_cta *ctas;
    uint32_t cta_count, resident_limit, resident;
    uint32_t first_live, next_cta; /* CTAs before the first have ended, from the second on have not started */
    CAKE_VECTOR(cake_sim_cta *) spare_memory; /* whose shared memory may be used again */
    cake_sim_barrier *clusters;               /* by cluster of the machine */
    CAKE_VECTOR(cake_sim_task *) tasks;
    CAKE_VECTOR(cake_sim_flag) flags;
    uint64_t changes;        /* of anything that somebody may wait for */
    cake_sim_staging *spare; /* of copies that are over */
};

cake_sim_launch *cake_sim_launch_of(cake_sim_warp *warp);
cake_sim_machine *cake_sim_machine_of(cake_sim_warp *warp);
void *cake_sim_cache_find(cake_sim_launch *launch, const void *key, uint64_t second);
void cake_sim_cache_put(cake_sim_launch *launch, const void *key, uint64_t second, void *table);

/* ---- who does what ---- */

/* The next of the run's choices: a number below 'count'. */
uint32_t cake_sim_choose(cake_sim_choices *choices, uint32_t count);
bool cake_sim_must_choose(const cake_sim_warp *warp);
/* Runs the machine's CTAs to their end, or to a hang (reported). */
void cake_sim_machine_run(cake_sim_machine *machine);
uint32_t cake_sim_random(cake_sim_launch *launch, uint32_t below);
/* Steps the warp until it waits or has ended, or lets others go first. */
void cake_sim_warp_run(cake_sim_warp *warp);
/* Pure operations of a block, at once: of the launch scope, a condition. */
void cake_sim_execute_block(cake_sim_warp *warp, const cake_plan_block *block);
cake_sim_step cake_sim_sync(cake_sim_warp *warp, const cake_plan_op *op);
/* The warp arrives at or touches another CTA, which must hear of this clock of it before it ends. */
void cake_sim_visit_cta(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_cta *cta, uint32_t clock);
/* All lanes of the warp have synchronised. */
void cake_sim_lanes_meet(cake_sim_warp *warp);
/* What an elected lane knows: of the first warp of a team, with what its bulk groups brought. */
const cake_sim_knowledge *cake_sim_elected_knowledge(cake_sim_warp *warp);
/* What lane 0 hands on by itself: its own accesses, and what came before the warp's last sync. */
const cake_sim_knowledge *cake_sim_release_elected(cake_sim_warp *warp);
/* 'sync team', also as the end of another operation. */
cake_sim_step cake_sim_sync_team(cake_sim_warp *warp, const cake_plan_op *op);
/* What the warp hands on when it arrives somewhere, all lanes having met. */
const cake_sim_knowledge *cake_sim_release(cake_sim_warp *warp);
void cake_sim_acquire(cake_sim_warp *warp, const cake_sim_knowledge *known);
bool cake_sim_elected(const cake_sim_warp *warp);
/* The operation was part of a race. */
void cake_sim_note_race(cake_sim_launch *launch, const cake_plan_op *op);
/* Reports reads of what nobody wrote, but for those that turned out to be part of a race. */
void cake_sim_report_held_back(cake_sim_launch *launch);
/* Tells the observer. */
void cake_sim_tell(cake_sim_warp *warp, cake_sim_event_kind kind, const cake_plan_op *op, uint64_t begin);
/* Reports who waits for what; the run ends. */
void cake_sim_report_hang(cake_sim_machine *machine);
/* "math[1] warp 2 of CTA 3". */
void cake_sim_describe_warp(const cake_plan *plan, uint32_t warp_number, uint32_t cta_number, cake_text *out);
/* Adds CTA, tile and loops to a counterexample. */
void cake_sim_report_loops(cake_sim_warp *warp, cake_diagnostic *diagnostic);

/* ---- places (place.c) ---- */

/* Offset in shared memory of the place's stage. */
uint32_t cake_sim_stage_offset(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_place *place);
/* Offset behind it of the element at 'position' by dimension, of a 4-bit one of its byte. */
uint32_t cake_sim_buffer_offset(const cake_plan_buffer *buffer, uint8_t rank, const int64_t *position);
/* The CTA whose shared memory the place lies in. */
cake_sim_cta *cake_sim_place_cta(cake_sim_warp *warp, const cake_plan_place *place);
/* Positions of the place's origin by dimension, scalars and ranges; 0 for gathers. */
void cake_sim_origin(cake_sim_warp *warp, const cake_plan_place *place, int64_t out[CAKE_MAX_RANK]);

/* Applies an atomic operation to an element in memory; 'b' is of cas alone. */
void cake_sim_combine(cake_atomic_op op, cake_dtype dtype, void *element, const void *a, const void *b);
cake_atomic_op cake_sim_atomic_op(const char *name);

/* The elements of an access, lane by lane. */
typedef struct cake_sim_elements {
    uint32_t registers, element_bytes;
    int64_t *offsets;      /* [register][lane]: bytes in shared memory (4-bit elements: half bytes), or elements of the
                       tensor; -1: off */
    unsigned char *memory; /* base of the memory; tensors */
    cake_sim_shadow *shadow; /* null: read-only, nothing to record */
    bool clipped;            /* some are off */
} cake_sim_elements;

/* Works out where each lane's elements lie. Lanes that are off by mask or clip are -1; so are those that are out of
 * range (reported). 'layout' null: a scalar place, one element in lane 0 of register 0. */
cake_sim_elements cake_sim_locate(cake_sim_warp *warp, const cake_plan_op *op, const cake_plan_access *access,
                                  const cake_layout *layout);
/* Lane bits that own what they hold: lane l is an owner if l & repeated == 0. */
bool cake_sim_owns(const cake_sim_warp *warp, const cake_layout *layout, uint32_t lane);

/* The asynchronous view of shared memory: bytes that a warp wrote come there by its fence, those of the asynchronous
 * units at once. */
void cake_sim_note_unfenced(cake_sim_warp *warp, uint32_t offset, uint32_t bytes);
void cake_sim_fence(cake_sim_warp *warp);

#endif
