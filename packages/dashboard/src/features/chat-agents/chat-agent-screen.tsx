import { Page } from '../../components/page.tsx'

export function ChatAgentScreen() {
  return <Page title="ChatAgentScreen">…</Page>
}
