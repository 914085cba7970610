import type { JsonObject } from '../../ports.ts'
import type { ToolMock } from '../conversation.ts'
import { isSame } from './approvals.ts'

/** The first mock that matches a call; `null` lets the tool itself run. */
export function findMock(mocks: readonly ToolMock[], name: string, args: JsonObject): ToolMock | null {
  const matches = ({ toolName, args: wanted }: ToolMock): boolean =>
    toolName === name && (wanted === null || Object.entries(wanted).every(([key, value]) => isSame(args[key], value)))
  return mocks.find(matches) ?? null
}
