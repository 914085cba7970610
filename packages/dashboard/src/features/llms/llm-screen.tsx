import { Page } from '../../components/page.tsx'

export function LlmScreen() {
  return <Page title="LlmScreen">…</Page>
}
