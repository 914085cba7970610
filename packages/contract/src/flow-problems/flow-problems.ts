import type { ErrorDetail } from '../errors.ts'
import { getLocalComponentStart, type LocalFlowComponent } from '../local-component.ts'
import { findLocalCycles, findSharedCycles } from './component-cycles.ts'
import { findDepthWarnings, findExitWarnings } from './component-warnings.ts'
import {
  type ComponentOutlines,
  type DialogGraph,
  listAssignedVariables,
  listLocalComponentIds,
  listSharedComponentIds,
} from './dialog-graph.ts'
import { type FindNodeIndex, findGraphErrors, getGraphIndex, resolveProblemPaths } from './graph-errors.ts'
import { findGraphWarnings } from './graph-warnings.ts'
import { findHopWarnings } from './hop-warnings.ts'
import { findLoopWarnings } from './loop-warnings.ts'
import { createPassCheck } from './silent-passage.ts'
import { findUndefinedVariables } from './undefined-variables.ts'
import { findUnusedSettings } from './unused-settings.ts'

/** Problems of a graph. Graphs with errors are rejected, and warnings are informational. */
export interface FlowProblems {
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** Parts of a flow that can have problems. */
export interface CheckedFlow extends DialogGraph {
  readonly global_prompt: string
  readonly max_hops_per_turn: number
  readonly components: readonly LocalFlowComponent[]
  readonly default_dynamic_variables: Readonly<Record<string, string>>
}

export interface CheckOptions {
  /** Shared components that the flow uses, including nested components; `null` if unknown. */
  readonly shared: ComponentOutlines | null
  /** Returns the index of a node in the request. Defaults to the index in the graph. */
  readonly findNodeIndex?: FindNodeIndex
}

/** Returns the problems of a flow and its local components. */
export function findFlowProblems(flow: CheckedFlow, options: CheckOptions): FlowProblems {
  return { errors: findFlowErrors(flow, options.findNodeIndex), warnings: findFlowWarnings(flow, options.shared) }
}

/**
 * Returns the problems of a shared component. Skips the check for cycles if the component has no ID yet, because no other
 * component can run it.
 */
export function findComponentProblems(
  component: DialogGraph & { readonly id: string | null },
  { shared, findNodeIndex = getGraphIndex }: CheckOptions,
): FlowProblems {
  const { id, nodes } = component
  const cycles = id === null || shared === null ? [] : findSharedCycles({ id, nodes }, shared)
  return {
    errors: [...findGraphErrors(component, findNodeIndex), ...resolveProblemPaths(cycles, nodes, findNodeIndex)],
    warnings: [
      ...findGraphWarnings(component, { isComponent: true, localIds: new Set(), shared }),
      ...findExitWarnings(component),
      ...findLoopWarnings(nodes, createPassCheck(shared)),
      ...findDepthWarnings({ nodes }, { shared, depth: 1 }),
      ...findUnusedSettings(nodes),
    ],
  }
}

/** Converts a local component to a graph. */
export function toLocalGraph(component: LocalFlowComponent): DialogGraph {
  return { ...component, start_node_id: getLocalComponentStart(component) }
}

/** Returns the errors of a flow. Ignores shared components, because they cannot run a flow. */
export function findFlowErrors(flow: CheckedFlow, findNodeIndex: FindNodeIndex = getGraphIndex): ErrorDetail[] {
  const componentErrors = flow.components.flatMap((component, index) =>
    findGraphErrors(toLocalGraph(component)).map((error) => ({ ...error, path: `components[${index}].${error.path}` })),
  )
  return [...findGraphErrors(flow, findNodeIndex), ...componentErrors, ...findLocalCycles(flow.components)]
}

function findFlowWarnings(flow: CheckedFlow, shared: ComponentOutlines | null): ErrorDetail[] {
  const localIds = listLocalComponentIds(flow.components)
  const canPassNode = createPassCheck(shared, flow.components)
  const findPathWarnings = ({ nodes }: Pick<DialogGraph, 'nodes'>) => [
    ...findHopWarnings(nodes, { maxHops: flow.max_hops_per_turn, canPassNode }),
    ...findLoopWarnings(nodes, canPassNode),
    ...findUnusedSettings(nodes),
  ]
  const componentWarnings = flow.components.flatMap((component, index) =>
    [
      ...findGraphWarnings(toLocalGraph(component), { isComponent: true, localIds, shared }),
      ...findExitWarnings(toLocalGraph(component)),
      ...findPathWarnings(component),
    ].map(({ path, message }) => ({
      path: `components[${index}].${path}`,
      message: `In component "${component.name}": ${message}`,
    })),
  )
  const graphWarnings = [
    ...findGraphWarnings(flow, { isComponent: false, localIds, shared }),
    ...findPathWarnings(flow),
    ...findDepthWarnings(flow, { shared, depth: 0 }),
  ]
  return [...graphWarnings, ...componentWarnings, ...findVariableWarnings(flow, shared)]
}

function findVariableWarnings(flow: CheckedFlow, shared: ComponentOutlines | null): ErrorDetail[] {
  // Unknown components may set any variable.
  if (shared === null && listSharedComponentIds(flow).length > 0) return []
  const { global_prompt, nodes, tools, mcps, components } = flow
  const names = [
    ...Object.keys(flow.default_dynamic_variables),
    ...[flow, ...components].flatMap(listAssignedVariables),
    ...[...(shared?.values() ?? [])].flatMap((outline) => outline.variables),
  ]
  return findUndefinedVariables({ global_prompt, nodes, tools, mcps, components }, names)
}
