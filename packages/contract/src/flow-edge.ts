import { z } from 'zod'
import { EQUATION_LIMIT, EQUATION_OPERATORS, isBinaryOperator } from './flow-equation.ts'
import { sentence } from './tool-fields.ts'

/** How a conversation goes from one node of a flow to the next. A key that was not given stays absent. */

/** An id that is unique within its flow (nodes) or its node (edges). */
export const FlowPartId = z.string().min(1).max(100)

const OPERAND_LIMIT = 1_000

/** One comparison of an equation. */
export const FlowEquation = z
  .object({
    left: z
      .string()
      .min(1)
      .max(OPERAND_LIMIT)
      .meta({ description: 'Name of a variable, or text with `{{variables}}`.' }),
    operator: z.enum(EQUATION_OPERATORS),
    right: z
      .union([z.string().max(OPERAND_LIMIT), z.number(), z.boolean()])
      .optional()
      .meta({ description: 'What to compare with; not used by `exists` and `not_exist`.' }),
  })
  .superRefine(({ operator, right }, context) => {
    if (right !== undefined || !isBinaryOperator(operator)) return
    context.addIssue({ code: 'custom', path: ['right'], message: `must be given for the operator "${operator}"` })
  })
  .meta({ id: 'FlowEquation' })

const PromptCondition = z
  .object({
    type: z.literal('prompt'),
    prompt: sentence().meta({ description: 'When to take the edge, in words for the model.' }),
  })
  .meta({ id: 'PromptCondition' })

const EquationCondition = z
  .object({
    type: z.literal('equation'),
    equations: z.array(FlowEquation).max(EQUATION_LIMIT).optional(),
    operator: z.enum(['&&', '||']).optional().meta({ description: 'How `equations` are joined; `&&` when absent.' }),
    prompt: sentence()
      .optional()
      .meta({ description: 'The equation as text, such as `{{age}} >= 18 && {{city}} == "Berlin"`.' }),
  })
  .meta({ id: 'EquationCondition', description: 'True or false by the values of variables, without asking a model.' })

/** When an edge is taken. */
export const TransitionCondition = z
  .discriminatedUnion('type', [PromptCondition, EquationCondition])
  .meta({ id: 'TransitionCondition' })
export type TransitionCondition = z.output<typeof TransitionCondition>

/** An edge without an id gets one when it is stored; until then it is empty. */
const EdgeId = FlowPartId.optional()
  .transform((given) => given ?? '')
  .pipe(z.string())
  .meta({ description: 'Unique within the node; made when absent.' })

const destination = FlowPartId.optional().meta({ description: 'Id of the node that comes next.' })

/** An edge that is taken when its condition holds. */
export const FlowEdge = z
  .object({ id: EdgeId, transition_condition: TransitionCondition, destination_node_id: destination })
  .meta({ id: 'FlowEdge' })
export type FlowEdge = z.output<typeof FlowEdge>

/** An edge whose place says when it is taken. Its condition is kept and answered, and decides nothing. */
export const FixedFlowEdge = z
  .object({ id: EdgeId, transition_condition: TransitionCondition.optional(), destination_node_id: destination })
  .meta({ id: 'FixedFlowEdge' })
export type FixedFlowEdge = z.output<typeof FixedFlowEdge>
