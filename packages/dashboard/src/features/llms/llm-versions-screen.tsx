import { Page } from '../../components/page.tsx'

export function LlmVersionsScreen() {
  return <Page title="LlmVersionsScreen">…</Page>
}
