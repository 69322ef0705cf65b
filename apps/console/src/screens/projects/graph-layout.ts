import { Graph, layout } from '@dagrejs/dagre';
import type { ProjectTask } from './project-file.ts';

/** Where each task and each dependency is drawn, in pixels. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly title: string;
    readonly status: string;
  }[];
  /** The points of each line, as SVG takes them. */
  readonly edges: readonly string[];
}

const NODE = { width: 170, height: 30 };

/** Lays tasks out from left to right, each behind those that it depends on. */
export function layOutGraph(tasks: readonly ProjectTask[]): GraphLayout {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 40, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, title, status = 'pending' } of tasks)
    graph.setNode(String(id), { ...NODE, title, status });
  for (const { id, dependencies = [] } of tasks)
    for (const on of dependencies) if (graph.hasNode(String(on))) graph.setEdge(String(on), String(id));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: graph.nodes().map((id: string) => {
      const { x, y, title, status } = graph.node(id) as unknown as GraphLayout['nodes'][number];
      return { id, ...NODE, x, y, title, status };
    }),
    edges: graph.edges().map((edge: { v: string; w: string }) => {
      const { points = [] } = graph.edge(edge) as { points?: readonly { x: number; y: number }[] };
      return points.map(({ x, y }) => `${x},${y}`).join(' ');
    }),
  };
}
