import { Page } from '../../components/page.tsx'

export function ChatsScreen() {
  return <Page title="ChatsScreen">…</Page>
}
