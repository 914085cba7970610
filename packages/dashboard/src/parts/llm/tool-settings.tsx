import type { LlmPartProps } from './llm-part.ts'

export function ToolSettings(_props: LlmPartProps) {
  return null
}
