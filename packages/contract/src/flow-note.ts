import { z } from 'zod'
import { sentence } from './tool-fields.ts'

/** What an editor of graphs remembers beside the graph itself; no conversation sees any of it. */

/** Where an editor draws something. */
export const DisplayPosition = z.object({ x: z.number(), y: z.number() }).meta({ id: 'DisplayPosition' })
export type DisplayPosition = z.output<typeof DisplayPosition>

export const FlowNote = z
  .object({
    id: z.string().min(1).max(100).meta({ description: 'Unique within the list.' }),
    content: sentence().meta({ description: 'The text of the note.' }),
    display_position: DisplayPosition.optional().meta({ description: 'Where an editor draws it.' }),
    size: z
      .object({ width: z.number().min(0), height: z.number().min(0) })
      .optional()
      .meta({ description: 'How large an editor draws it.' }),
  })
  .meta({ id: 'FlowNote', description: 'A note beside the graph, for the people who edit it.' })
export type FlowNote = z.output<typeof FlowNote>

/** The notes of one flow or component, each id once. */
export const FlowNoteList = z
  .array(FlowNote)
  .max(200)
  .superRefine(rejectDuplicates, { when: ({ value }) => Array.isArray(value) })

function rejectDuplicates(notes: readonly unknown[], context: z.core.$RefinementCtx): void {
  const seen = new Set<unknown>()
  notes.forEach((note, index) => {
    const { id } = typeof note === 'object' && note !== null ? (note as { id?: unknown }) : {}
    if (typeof id !== 'string') return
    if (seen.has(id)) {
      context.addIssue({ code: 'custom', path: [index, 'id'], message: `must be unique: "${id}" is already used` })
    }
    seen.add(id)
  })
}
