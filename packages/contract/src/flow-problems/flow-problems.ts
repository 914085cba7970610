import type { ErrorDetail } from '../errors.ts'
import { type LocalFlowComponent, localComponentStart } from '../local-component.ts'
import { findLocalCycles, findSharedCycles } from './component-cycles.ts'
import { depthWarnings, exitWarnings } from './component-warnings.ts'
import {
  assignedVariables,
  type ComponentOutlines,
  type DialogGraph,
  localComponentIds,
  sharedComponentIds,
} from './dialog-graph.ts'
import { graphErrors, inOrder, type PlaceOf, resolveProblemPaths } from './graph-errors.ts'
import { graphWarnings } from './graph-warnings.ts'
import { hopWarnings } from './hop-warnings.ts'
import { loopWarnings } from './loop-warnings.ts'
import { createPassCheck } from './silent-passage.ts'
import { undefinedVariables } from './undefined-variables.ts'
import { unusedSettings } from './unused-settings.ts'

/** Problems of a graph. Graphs with errors are not stored; warnings are informational. All problems have paths. */
export interface FlowProblems {
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** The parts of a flow that can have problems. */
export interface CheckedFlow extends DialogGraph {
  readonly global_prompt: string
  readonly max_hops_per_turn: number
  readonly components: readonly LocalFlowComponent[]
  readonly default_dynamic_variables: Readonly<Record<string, string>>
}

export interface CheckOptions {
  /** Shared components in use, including nested ones; `null` if unknown. */
  readonly shared: ComponentOutlines | null
  /** Position of each node in the request. Defaults to its position in the graph. */
  readonly placeOf?: PlaceOf
}

/** Problems of a flow and its local components. */
export function flowProblems(flow: CheckedFlow, options: CheckOptions): FlowProblems {
  return { errors: flowErrors(flow, options.placeOf), warnings: flowWarnings(flow, options.shared) }
}

/** Problems of a shared component. A component without an ID is not stored yet, so nothing can lead back to it. */
export function componentProblems(
  component: DialogGraph & { readonly id: string | null },
  { shared, placeOf = inOrder }: CheckOptions,
): FlowProblems {
  const { id, nodes } = component
  const cycles = id === null || shared === null ? [] : findSharedCycles({ id, nodes }, shared)
  return {
    errors: [...graphErrors(component, placeOf), ...resolveProblemPaths(cycles, nodes, placeOf)],
    warnings: [
      ...graphWarnings(component, { isComponent: true, localIds: new Set(), shared }),
      ...exitWarnings(component),
      ...loopWarnings(nodes, createPassCheck(shared)),
      ...depthWarnings({ nodes }, { shared, depth: 1 }),
      ...unusedSettings(nodes),
    ],
  }
}

/** A local component as a graph. */
export function localGraph(component: LocalFlowComponent): DialogGraph {
  return { ...component, start_node_id: localComponentStart(component) }
}

/** Shared components are irrelevant here, since they cannot lead back to a flow. */
export function flowErrors(flow: CheckedFlow, placeOf: PlaceOf = inOrder): ErrorDetail[] {
  const componentWarnings = flow.components.flatMap((component, index) =>
    graphErrors(localGraph(component)).map((error) => ({ ...error, path: `components[${index}].${error.path}` })),
  )
  return [...graphErrors(flow, placeOf), ...componentWarnings, ...findLocalCycles(flow.components)]
}

function flowWarnings(flow: CheckedFlow, shared: ComponentOutlines | null): ErrorDetail[] {
  const localIds = localComponentIds(flow.components)
  const canPassNode = createPassCheck(shared, flow.components)
  const pathWarnings = ({ nodes }: Pick<DialogGraph, 'nodes'>) => [
    ...hopWarnings(nodes, { maxHops: flow.max_hops_per_turn, canPassNode }),
    ...loopWarnings(nodes, canPassNode),
    ...unusedSettings(nodes),
  ]
  const componentWarnings = flow.components.flatMap((component, index) =>
    [
      ...graphWarnings(localGraph(component), { isComponent: true, localIds, shared }),
      ...exitWarnings(localGraph(component)),
      ...pathWarnings(component),
    ].map(({ path, message }) => ({
      path: `components[${index}].${path}`,
      message: `In component "${component.name}": ${message}`,
    })),
  )
  const ownWarnings = [
    ...graphWarnings(flow, { isComponent: false, localIds, shared }),
    ...pathWarnings(flow),
    ...depthWarnings(flow, { shared, depth: 0 }),
  ]
  return [...ownWarnings, ...componentWarnings, ...variables(flow, shared)]
}

function variables(flow: CheckedFlow, shared: ComponentOutlines | null): ErrorDetail[] {
  // Unknown components may set any variable.
  if (shared === null && sharedComponentIds(flow).length > 0) return []
  const { global_prompt, nodes, tools, mcps, components } = flow
  const names = [
    ...Object.keys(flow.default_dynamic_variables),
    ...[flow, ...components].flatMap(assignedVariables),
    ...[...(shared?.values() ?? [])].flatMap((outline) => outline.variables),
  ]
  return undefinedVariables({ global_prompt, nodes, tools, mcps, components }, names)
}
