import { z } from 'zod'
import { EQUATION_LIMIT, EQUATION_OPERATORS, isBinaryOperator } from './flow-equation.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'

/** Edges between the nodes of a flow. Omitted fields stay absent. */

/** ID of a node, unique within the flow, or ID of an edge, unique within the node. */
export const FlowPartId = z.string().min(1).max(100)

const OPERAND_LIMIT = 1_000

/** One comparison in an equation. */
export const FlowEquation = z
  .object({
    left: z.string().min(1).max(OPERAND_LIMIT).describe('Name of a variable, or text with `{{variables}}`.'),
    operator: z.enum(EQUATION_OPERATORS),
    right: z
      .union([z.string().max(OPERAND_LIMIT), z.number(), z.boolean()])
      .optional()
      .describe('Value to compare with; ignored by `exists` and `not_exist`.'),
  })
  .superRefine(({ operator, right }, context) => {
    if (right !== undefined || !isBinaryOperator(operator)) return
    context.addIssue({ code: 'custom', path: ['right'], message: `is required for the operator "${operator}"` })
  })
  .meta({ id: 'FlowEquation' })

const PromptCondition = defineObject('PromptCondition', {
  type: z.literal('prompt'),
  prompt: sentence().describe('Instruction that tells the model when to take the edge.'),
})

const EquationCondition = defineDescribedObject(
  'EquationCondition',
  'Condition based on variable values, evaluated without a model.',
  {
    type: z.literal('equation'),
    equations: z.array(FlowEquation).max(EQUATION_LIMIT).optional(),
    operator: z.enum(['&&', '||']).optional().describe('Operator that joins `equations`. Defaults to `&&`.'),
    prompt: sentence().optional().describe('The equation as text, such as `{{age}} >= 18 && {{city}} == "Berlin"`.'),
  },
)

/** Condition of an edge. */
export const TransitionCondition = z
  .discriminatedUnion('type', [PromptCondition, EquationCondition])
  .meta({ id: 'TransitionCondition' })
export type TransitionCondition = z.output<typeof TransitionCondition>

/** Edge ID. A missing ID is empty until the server generates it when it stores the edge. */
const EdgeId = FlowPartId.optional()
  .transform((id) => id ?? '')
  .pipe(z.string())
  .describe('ID of the edge, unique within the node. Generated if omitted.')

const destinationNodeId = FlowPartId.optional().describe('ID of the next node.')

/** An edge that is taken if its condition is true. */
export const FlowEdge = defineObject('FlowEdge', {
  id: EdgeId,
  transition_condition: TransitionCondition,
  destination_node_id: destinationNodeId,
})
export type FlowEdge = z.output<typeof FlowEdge>

/** An edge whose field name determines when it is taken. The condition is stored and returned but has no effect. */
export const FixedFlowEdge = defineObject('FixedFlowEdge', {
  id: EdgeId,
  transition_condition: TransitionCondition.optional(),
  destination_node_id: destinationNodeId,
})
export type FixedFlowEdge = z.output<typeof FixedFlowEdge>
