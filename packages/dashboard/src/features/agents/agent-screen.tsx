import { Page } from '../../components/page.tsx'

export function AgentScreen() {
  return <Page title="AgentScreen">…</Page>
}
