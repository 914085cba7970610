import type { ErrorDetail } from '../errors.ts'
import type { AnyFlowNode, FlowNode, FlowNodeType } from '../flow-node.ts'
import type { FlowSwitches } from '../flow-switches.ts'

/** Settings without effect. They are accepted so that flows from other platforms can be stored. */

/** Node types that are not supported yet. */
const UNSUPPORTED_TYPES: Partial<Readonly<Record<FlowNodeType, string>>> = {
  transfer_call: 'calls cannot be transferred yet, so "edge" is taken',
  press_digit: 'keys cannot be pressed yet, so the node is skipped',
  bridge_transfer: 'calls cannot be transferred yet, so the node is skipped',
  cancel_transfer: 'calls cannot be transferred yet, so the node is skipped',
  sms: 'text messages are not sent yet, so "failed_edge" is taken',
}

interface UnsupportedSetting {
  readonly path: string
  readonly isSet: (node: AnyFlowNode) => boolean
  readonly reason: string
}

const UNSUPPORTED_SETTINGS: readonly UnsupportedSetting[] = [
  {
    path: 'model_choice.high_priority',
    isSet: ({ model_choice }) => model_choice?.high_priority === true,
    reason: 'all model requests have the same priority',
  },
  {
    path: 'stt_mode',
    isSet: ({ stt_mode }) => stt_mode !== undefined,
    reason: 'speech recognition uses the settings of the agent',
  },
  {
    path: 'custom_stt_config',
    isSet: ({ custom_stt_config }) => custom_stt_config !== undefined,
    reason: 'speech recognition uses the settings of the agent',
  },
  {
    path: 'keep_current_voice',
    isSet: ({ keep_current_voice }) => keep_current_voice === true,
    reason: 'the other agent uses its own voice',
  },
  {
    path: 'keep_current_language',
    isSet: ({ keep_current_language }) => keep_current_language === true,
    reason: 'the other agent uses its own language',
  },
]

/** Warns about node settings that have no effect. Paths are relative to the graph. */
export function findUnusedSettings(nodes: readonly FlowNode[]): ErrorDetail[] {
  return nodes.flatMap((node: AnyFlowNode, index) => {
    const unsupportedReason = UNSUPPORTED_TYPES[node.type]
    if (unsupportedReason !== undefined) {
      return [
        {
          path: `nodes[${index}].type`,
          message: `Node "${node.id}" of type "${node.type}" has no effect: ${unsupportedReason}.`,
        },
      ]
    }
    return UNSUPPORTED_SETTINGS.filter(({ isSet }) => isSet(node)).map(({ path, reason }) => ({
      path: `nodes[${index}].${path}`,
      message: `"${path}" of node "${node.id}" has no effect: ${reason}.`,
    }))
  })
}

/** Body fields that are not stored with a flow. */
export interface FlowSwitchInput {
  readonly model_choice?: { readonly high_priority?: boolean | undefined } | null | undefined
  readonly tool_call_strict_mode?: FlowSwitches['tool_call_strict_mode']
  readonly is_transfer_cf?: FlowSwitches['is_transfer_cf']
}

/** Warns about flow settings that are not stored. */
export function findUnusedSwitches(flow: FlowSwitchInput): ErrorDetail[] {
  const warnings: ErrorDetail[] = []
  const addWarning = (path: string, reason: string): void => {
    warnings.push({ path, message: `"${path}" has no effect: ${reason}.` })
  }
  if (flow.model_choice?.high_priority === true) {
    addWarning('model_choice.high_priority', 'all model requests have the same priority')
  }
  if (flow.tool_call_strict_mode === true) {
    addWarning('tool_call_strict_mode', 'tool arguments are always validated against their schema')
  }
  if (flow.is_transfer_cf === true) addWarning('is_transfer_cf', 'calls cannot be transferred to agents yet')
  return warnings
}
