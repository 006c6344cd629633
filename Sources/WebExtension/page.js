const at = id => document.getElementById(id);
const command = (name, rest) => chrome.runtime.sendMessage({ command: name, ...rest });
