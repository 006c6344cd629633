"""Files and folders that refer to each other in a circle."""

import pytest

from structure import report
from structure.architecture import MAX_FILES_IN_CYCLE, TARGETS_WITH_ACYCLIC_FOLDERS
from structure.package_index import ROOT, module_of, swift_files

TARGETS = sorted({module_of(file) for file in swift_files(ROOT)})


@pytest.mark.parametrize("target", TARGETS)
def test_few_files_refer_to_each_other_in_a_circle(index, target):
    cycles = report.file_cycles(index, target)
    text = "\n\n".join(report.describe_file_cycle(index, target, cycle) for cycle in cycles)
    print(text)
    largest = max(map(len, cycles), default=0)
    if largest > MAX_FILES_IN_CYCLE:
        pytest.fail(f"{text}\n\n{largest} files are more than {MAX_FILES_IN_CYCLE}", pytrace=False)


@pytest.mark.parametrize("target", TARGETS_WITH_ACYCLIC_FOLDERS)
def test_folders_do_not_refer_to_each_other_in_a_circle(index, target):
    cycles = report.folder_cycles(index, target)
    if cycles:
        texts = [report.describe_folder_cycle(index, target, cycle) for cycle in cycles]
        pytest.fail("\n\n".join(texts), pytrace=False)
