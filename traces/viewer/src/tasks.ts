// Tasks of a program of many kernels (sim/faces/mpmd/program_page.cpp): lanes of the orchestrator and the schedulers, a lane
// in front of the pipes of each core, and an arrow for each dependency.
import type { Data, Flags, PackedLane, What } from './data';
import { SCALAR, WAIT, WORK } from './data';

export const taskPipe = 'tasks';
export const processorsCore = 'AICPU';
const firstSequence = 2 ** 31; // instructions of a core are counted from 0

interface Tasks {
  cores: string[];
  kernels: string[];
  tasks: [number, number, number, number, string][]; // core, kernel, begin, cycles, the runtime's name for it
  dependencies: [number, number][]; // from the end of a task to the begin of another
  phases: string[];
  processors: { name: string; slices: [number, number, number][] }[]; // phase, begin, cycles
}

interface Loaded {
  data: Data;
  lanes: PackedLane[];
  flags: Flags[];
}

// Waits for the document, because the tasks follow the page's script: they are added to a page that
// has been written.
async function read(): Promise<Tasks | null> {
  if (document.readyState === 'loading') await new Promise((done) => document.addEventListener('DOMContentLoaded', done));
  const text = document.getElementById('tasks')?.textContent;
  return text ? (JSON.parse(text) as Tasks) : null;
}

// Lane of a core, in the order of the tasks' begins.
function laneOf(of: Tasks, core: number, firstWhat: number): PackedLane {
  const list = of.tasks.map((task, index) => ({ task, index })).filter(({ task }) => task[0] === core);
  list.sort((a, b) => a.task[2] - b.task[2]);
  const cycles = list.map(({ task }) => task[3]);
  return {
    core: of.cores[core], pipe: taskPipe,
    begin: Float64Array.from(list, ({ task }) => task[2]),
    end: Float64Array.from(list, ({ task }) => task[2] + task[3]),
    what: Uint32Array.from(list, ({ task }) => firstWhat + task[1]),
    sequence: Uint32Array.from(list, ({ index }) => firstSequence + index),
    issue: new Uint32Array(list.length),
    complete: Uint32Array.from(cycles),
  };
}

// Lane of the orchestrator or of a scheduler.
function processorLane(of: Tasks['processors'][0], firstWhat: number): PackedLane {
  const none = new Uint32Array(of.slices.length);
  return {
    core: processorsCore, pipe: of.name,
    begin: Float64Array.from(of.slices, ([, begin]) => begin),
    end: Float64Array.from(of.slices, ([, begin, cycles]) => begin + cycles),
    what: Uint32Array.from(of.slices, ([phase]) => firstWhat + phase),
    sequence: none, issue: none,
    complete: Uint32Array.from(of.slices, ([, , cycles]) => cycles),
  };
}

// The scalar unit of a core runs the runtime's executor between tasks: it waits then, and is not at work.
function idleBetweenTasks(lane: PackedLane, tasks: PackedLane, what: What[], noTask: number): PackedLane {
  const begin: number[] = [], end: number[] = [], from: number[] = [], is: number[] = [];
  const add = (first: number, last: number, slice: number, kind: number): void => {
    if (first >= last) return;
    begin.push(first);
    end.push(last);
    from.push(slice);
    is.push(kind);
  };
  let task = 0;
  for (let i = 0; i < lane.what.length; ++i) {
    const own = lane.what[i];
    if (what[own].kind !== SCALAR) {
      add(lane.begin[i], lane.end[i], i, own);
      continue;
    }
    while (task < tasks.end.length && tasks.end[task] <= lane.begin[i]) ++task;
    let at = lane.begin[i];
    for (let k = task; k < tasks.end.length && tasks.begin[k] < lane.end[i]; ++k) {
      add(at, tasks.begin[k], i, noTask);
      add(Math.max(at, tasks.begin[k]), Math.min(tasks.end[k], lane.end[i]), i, own);
      at = Math.max(at, tasks.end[k]);
    }
    add(at, lane.end[i], i, noTask);
  }
  return {
    ...lane, begin: Float64Array.from(begin), end: Float64Array.from(end), what: Uint32Array.from(is),
    sequence: Uint32Array.from(from, (i) => lane.sequence[i]),
    issue: Uint32Array.from(from, (i) => lane.issue[i]),
    complete: Uint32Array.from(from, (i, k) => (is[k] === lane.what[i] ? lane.complete[i] : end[k] - begin[k])),
  };
}

// Both times of a group ascend: an arrow goes into the first group whose last it does not precede.
function arrows(of: Tasks, laneOfCore: number[]): Flags[] {
  const begin = (task: number): number => of.tasks[task][2];
  const end = (task: number): number => begin(task) + of.tasks[task][3];
  const sorted = [...of.dependencies].sort((a, b) => begin(a[1]) - begin(b[1]) || end(a[0]) - end(b[0]));
  const groups = new Map<string, [number, number][][]>();
  for (const arrow of sorted) {
    const key = arrow.map((task) => of.tasks[task][0]).join();
    if (!groups.has(key)) groups.set(key, []);
    const lists = groups.get(key)!;
    const list = lists.find((some) => end(some[some.length - 1][0]) <= end(arrow[0]));
    if (list) list.push(arrow);
    else lists.push([arrow]);
  }
  return [...groups.values()].flat().map((list) => ({
    from: laneOfCore[of.tasks[list[0][0]][0]], to: laneOfCore[of.tasks[list[0][1]][0]],
    id: 0, cross: false, dependency: true,
    set: Float64Array.from(list, ([from]) => end(from)),
    taken: Float64Array.from(list, ([, to]) => begin(to)),
    setSequence: Uint32Array.from(list, ([from]) => firstSequence + from),
    waitSequence: Uint32Array.from(list, ([, to]) => firstSequence + to),
  }));
}

export function addTasks(page: Loaded, of: Tasks): Loaded {
  const firstWhat = page.data.what.length;
  const firstPhase = firstWhat + of.kernels.length;
  const noTask = firstPhase + of.phases.length;
  const what = [
    ...page.data.what, ...[...of.kernels, ...of.phases].map((name) => ({ name, kind: WORK })),
    { name: 'no task', kind: WAIT, for: 'a task from a scheduler' },
  ];
  const lanes: PackedLane[] = of.processors.map((processor) => processorLane(processor, firstPhase));
  const laneOfCore: number[] = [];
  const moved = page.lanes.map((lane) => {
    const core = of.cores.indexOf(lane.core);
    if (core >= 0 && laneOfCore[core] === undefined) laneOfCore[core] = lanes.push(laneOf(of, core, firstWhat)) - 1;
    const tasks = core >= 0 ? lanes[laneOfCore[core]] : laneOf(of, core, firstWhat);
    return lanes.push(lane.pipe === 'S' ? idleBetweenTasks(lane, tasks, what, noTask) : lane) - 1;
  });
  // Kernels without an instruction have no other lane.
  of.cores.forEach((_, core) => (laneOfCore[core] ??= lanes.push(laneOf(of, core, firstWhat)) - 1));
  const flags = page.flags.map((some) => ({ ...some, from: moved[some.from], to: moved[some.to] }));
  return { data: { ...page.data, what, taskNames: of.tasks.map((task) => task[4]) }, lanes, flags: [...flags, ...arrows(of, laneOfCore)] };
}

// The runtime's name for the task of a slice.
export const taskName = (data: Data, sequence: number): string | undefined => data.taskNames?.[sequence - firstSequence] || undefined;

export async function withTasks(page: Loaded): Promise<Loaded> {
  const tasks = await read();
  return tasks ? addTasks(page, tasks) : page;
}
