import { z } from 'zod'
import { sentence } from './tool-fields.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** Data for editors of a graph, without effect on conversations. */

/** Position in an editor. */
export const DisplayPosition = z.object({ x: z.number(), y: z.number() }).meta({ id: 'DisplayPosition' })
export type DisplayPosition = z.output<typeof DisplayPosition>

export const FlowNote = z
  .object({
    id: z.string().min(1).max(100).meta({ description: 'ID of the note, unique within the list.' }),
    content: sentence().meta({ description: 'Text of the note.' }),
    display_position: DisplayPosition.optional().meta({ description: 'Position in an editor.' }),
    size: z
      .object({ width: z.number().min(0), height: z.number().min(0) })
      .optional()
      .meta({ description: 'Size in an editor.' }),
  })
  .meta({ id: 'FlowNote', description: 'Note for editors of the graph.' })
export type FlowNote = z.output<typeof FlowNote>

/** The notes of one flow or component, each with its own ID. */
export const FlowNoteList = z.array(FlowNote).max(200).superRefine(rejectDuplicates('id'), DESPITE_OTHER_ISSUES)
