import type { ManualClock } from '../../testing/manual-clock.ts'
import { answersWith, type ScriptedHttpTools, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'

/** A tool that is called once; see `slowAnswer`. */
export const SLOW_TOOL = {
  type: 'custom',
  tool_id: 'look',
  name: 'look',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object', properties: {} },
} as const

/** Answers the call of `SLOW_TOOL` after a delay. */
export function slowAnswer({ clock }: Pick<ManualClock, 'clock'>, durationMs: number): ScriptedHttpTools {
  const answer = () =>
    new Promise<ReturnType<typeof answersWith>>((resolve) => {
      clock.after(durationMs, () => resolve(answersWith({ at: 9 })))
    })
  return scriptedHttpTools({ look: [answer] })
}
