import { z } from 'zod'
import { EQUATION_LIMIT, EQUATION_OPERATORS, isBinaryOperator } from './flow-equation.ts'
import { describedObject, namedObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'

/** Transitions between the nodes of a flow. Fields that were not given stay absent. */

/** ID of a node, unique within its flow, or of an edge, unique within its node. */
export const FlowPartId = z.string().min(1).max(100)

const OPERAND_LIMIT = 1_000

/** A comparison in an equation. */
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

const PromptCondition = namedObject('PromptCondition', {
  type: z.literal('prompt'),
  prompt: sentence().describe('When to take the edge, as an instruction for the model.'),
})

const EquationCondition = describedObject(
  'EquationCondition',
  'Condition on the values of variables, evaluated without a model.',
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

/** Edges without an ID get one when they are stored. Until then it is empty. */
const EdgeId = FlowPartId.optional()
  .transform((given) => given ?? '')
  .pipe(z.string())
  .describe('ID of the edge, unique within the node. Generated if omitted.')

const destination = FlowPartId.optional().describe('ID of the next node.')

/** An edge that is taken when its condition is true. */
export const FlowEdge = namedObject('FlowEdge', {
  id: EdgeId,
  transition_condition: TransitionCondition,
  destination_node_id: destination,
})
export type FlowEdge = z.output<typeof FlowEdge>

/** An edge whose field determines when it is taken. Its condition is stored and returned without effect. */
export const FixedFlowEdge = namedObject('FixedFlowEdge', {
  id: EdgeId,
  transition_condition: TransitionCondition.optional(),
  destination_node_id: destination,
})
export type FixedFlowEdge = z.output<typeof FixedFlowEdge>
