import { z } from 'zod'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** Layout data for graph editors, which does not affect conversations. */

/** Position in a graph editor. */
export const DisplayPosition = defineObject('DisplayPosition', { x: z.number(), y: z.number() })
export type DisplayPosition = z.output<typeof DisplayPosition>

export const FlowNote = defineDescribedObject('FlowNote', 'Note for editors of the graph.', {
  id: z.string().min(1).max(100).describe('ID of the note, unique within the list.'),
  content: sentence().describe('Text of the note.'),
  display_position: DisplayPosition.optional().describe('Position in an editor.'),
  size: z
    .object({ width: z.number().min(0), height: z.number().min(0) })
    .optional()
    .describe('Size in an editor.'),
})
export type FlowNote = z.output<typeof FlowNote>

/** Notes of a flow or component. Their IDs are unique. */
export const FlowNoteList = z.array(FlowNote).max(200).superRefine(rejectDuplicates('id'), DESPITE_OTHER_ISSUES)
